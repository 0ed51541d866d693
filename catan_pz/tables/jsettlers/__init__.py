"""A robot for JSettlers servers: any agent of this package can play there, over TCP.

`match.play_match` plays a match on its own server or a running one; `client.RobotClient` is the
robot alone.
"""
