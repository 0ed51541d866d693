"""Players in separate processes, which only get views: programs in any language."""
