"""A robot for JSettlers servers: any agent of this package plays there, over TCP.

`match.play_match` plays a match on a server of its own or on one that runs, `client.RobotClient`
is the robot alone.
"""
