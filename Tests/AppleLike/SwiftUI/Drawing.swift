import Foundation
import UIKit

public struct Color: PrimitiveView, ShapeStyle {
    public static let black = Color()
    public static let red = Color()
}

public protocol ShapeStyle: Sendable {}
extension ShapeStyle where Self == Color {
    public static var red: Color { fatalError() }
}

public protocol Shape: View {}
extension Shape {
    public var body: Never { fatalError() }
    public func stroke<Style: ShapeStyle>(_ content: Style, lineWidth: CGFloat = 1) -> some View {
        EmptyView()
    }
}

public struct Path: Shape {
    public init(_ callback: (inout Path) -> Void) { fatalError() }
    public mutating func addLines(_ lines: [CGPoint]) { fatalError() }
}

public struct Font: Sendable {
    public static let headline = Font()
    public static let footnote = Font()
}

@MainActor @preconcurrency
public protocol Gesture<Value> {
    associatedtype Value
}

public struct DragGesture: Gesture {
    public struct Value {
        public var location: CGPoint
        public var translation: CGSize { fatalError() }
    }
    public init(minimumDistance: CGFloat = 10) { fatalError() }
}

extension Gesture {
    public func onChanged(_ action: @escaping (Value) -> Void) -> _EndedGesture<Self> where Value: Equatable {
        fatalError()
    }
    public func onEnded(_ action: @escaping (Value) -> Void) -> _EndedGesture<Self> { fatalError() }
}
extension DragGesture.Value: Equatable {}
public struct _EndedGesture<Content: Gesture>: Gesture {
    public typealias Value = Content.Value
}

@MainActor
public final class ImageRenderer<Content: View> {
    public init(content view: Content) { fatalError() }
    public final var uiImage: UIImage? { fatalError() }
}
