"""How good an agent is: it climbs a ladder of players whose strength is known."""
