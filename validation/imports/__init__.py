"""Taking files in: premises, and whole pairs with their votes, batch by batch, each batch with its progress."""
