extension CommandFailure {
    /// A server that cannot start. Ports that are in use are told in words of the tool, without those of the sockets' library.
    /// - Parameter server: As in “the receiver”.
    init(starting server: String, _ error: any Error) {
        let text = "\(error)".replacing(#/SocketError\. [^:]*: /#, with: "")
        if let taken = text.firstMatch(of: /cannot listen on (.+):([0-9]+): Address already in use/) {
            self.init("port \(taken.2) on \(taken.1) is in use; choose another port, or 0 for a free one")
        } else {
            self.init("\(server) cannot start: \(text)")
        }
    }
}
