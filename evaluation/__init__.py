"""Who is better, and how sure are we: matches, round robins, the `ludarium` command."""
