"""What old trainers expect and today's libraries no longer have. Nothing here acts before its install() is called."""
