"""Who is better, and how sure we are: matches, tournaments, measures, the `ludarium` command."""
