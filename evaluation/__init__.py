"""Who is better, and how sure are we: matches, tournaments, measures, the `ludarium` command."""
