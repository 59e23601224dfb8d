import Foundation

// Declares what the example app uses of Apple's UIKit, from Apple's documentation, so that Linux type-checks it. Nothing runs.

open class UIImage: NSObject {
    public func pngData() -> Data? { fatalError() }
}

public enum UIKeyboardType: Int, Sendable {
    case `default` = 0
    case decimalPad = 8
}
