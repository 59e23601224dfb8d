/// Why an address or a port cannot be listened on.
package struct ListeningError: Error, Sendable, CustomStringConvertible {
    package let address: String
    package let port: UInt16
    package let reason: String

    package var description: String {
        "cannot listen on \(address):\(port): \(reason); choose another port, or 0 for a free one"
    }
}
