"""Thread pools of both backends."""
