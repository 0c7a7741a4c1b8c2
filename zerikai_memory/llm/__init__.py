"""Language models behind one protocol: Ollama, DeepSeek and other OpenAI-compatible servers."""
