"""Python source to tile IR."""
