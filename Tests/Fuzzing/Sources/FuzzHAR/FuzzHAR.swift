import Foundation
import IndivoTesting

/// Whatever the recording: an error, or exchanges that are the same once they were written and read again,
/// but for what is left out of an archive on purpose.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let content = Data(UnsafeBufferPointer(start: start, count: count))
    let recording: Recording
    do {
        recording = try Recording(parsing: content)
    } catch {
        if "\(error)".isEmpty { fatalError("an error says nothing") }
        return 0
    }
    guard let written = try? recording.har() else { fatalError("a recording cannot be written") }
    let again: Recording
    do {
        again = try Recording(parsing: written)
    } catch {
        fatalError("a written recording cannot be read: \(error)")
    }
    guard again.exchanges.count == recording.exchanges.count else { fatalError("an exchange is lost") }
    for (one, other) in zip(recording.exchanges, again.exchanges) where one.method != other.method {
        fatalError("a method changed")
    }
    guard (try? again.har()) == written else { fatalError("what was written is written otherwise") }
    return 0
}
