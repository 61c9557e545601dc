"""What positions are worth: hand-made evaluations, pubeval, networks, and the choice of whole turns."""
