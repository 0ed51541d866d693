"""The rules of the game, one module for each chapter, compiled from plain Python."""
