"""Players in processes of their own, which see views only: programs in any language."""
