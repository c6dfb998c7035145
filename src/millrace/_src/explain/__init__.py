"""What the system says about itself: profiles, and what a machine and an installation offer."""
