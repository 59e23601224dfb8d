// OAuth1
