"""Where the games of a match are played."""

from catan_pz.arena.executors.base import Executor
from catan_pz.arena.executors.inline import InlineExecutor
from catan_pz.arena.executors.named import make_executor
from catan_pz.arena.executors.processes import ProcessExecutor
from catan_pz.arena.executors.ray_executor import RayExecutor
from catan_pz.arena.executors.tasks import Task, make_tasks, play_task

__all__ = [
    "Executor",
    "InlineExecutor",
    "ProcessExecutor",
    "RayExecutor",
    "Task",
    "make_executor",
    "make_tasks",
    "play_task",
]
