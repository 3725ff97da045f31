"""The theory as a feature: plans, certificates, and streams on which the theorem can be watched."""
