import Foundation

// Declares what the example app uses of Apple's SwiftUI, from Apple's documentation, so that Linux type-checks it: names,
// parameters, generic constraints and isolation. Nothing runs.

// MARK: View

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// A view that the system draws.
public protocol PrimitiveView: View where Body == Never {}
extension PrimitiveView {
    public var body: Never { fatalError() }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > { fatalError() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<TrueContent: View, FalseContent: View>(first: TrueContent)
        -> _ConditionalContent<TrueContent, FalseContent>
    { fatalError() }
    public static func buildEither<TrueContent: View, FalseContent: View>(second: FalseContent)
        -> _ConditionalContent<TrueContent, FalseContent>
    { fatalError() }
}

public struct EmptyView: PrimitiveView {}
public struct TupleView<Content>: PrimitiveView {}
public struct _ConditionalContent<TrueContent, FalseContent>: PrimitiveView {}
extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

public struct Text: PrimitiveView {
    public init(_ key: LocalizedStringKey) { fatalError() }
    @_disfavoredOverload public init<Content: StringProtocol>(_ content: Content) { fatalError() }
}

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { fatalError() }
}

// MARK: Controls

public struct ButtonRole: Sendable {
    public static let destructive = ButtonRole()
}

public struct Button<Label: View>: PrimitiveView {
    @preconcurrency public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        fatalError()
    }
}
extension Button where Label == Text {
    @preconcurrency
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) { fatalError() }
    @preconcurrency @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {
        fatalError()
    }
    @preconcurrency
    public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
        fatalError()
    }
}

public struct TextField<Label: View>: PrimitiveView {}
extension TextField where Label == Text {
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) { fatalError() }
    @_disfavoredOverload
    public init<Title: StringProtocol>(_ title: Title, text: Binding<String>) { fatalError() }
}

public struct Toggle<Label: View>: PrimitiveView {}
extension Toggle where Label == Text {
    public init<Title: StringProtocol>(_ title: Title, isOn: Binding<Bool>) { fatalError() }
}

public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: PrimitiveView {}
extension Picker where Label == Text {
    public init<Title: StringProtocol>(
        _ title: Title,
        selection: Binding<SelectionValue>,
        @ViewBuilder content: () -> Content
    ) { fatalError() }
}

public struct Slider<Label: View, ValueLabel: View>: PrimitiveView {}
extension Slider where Label == EmptyView, ValueLabel == EmptyView {
    public init<Value: BinaryFloatingPoint>(
        value: Binding<Value>,
        in bounds: ClosedRange<Value>,
        step: Value.Stride = 1,
        onEditingChanged: @escaping (Bool) -> Void = { _ in }
    ) where Value.Stride: BinaryFloatingPoint { fatalError() }
}

public struct DatePickerComponents: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let hourAndMinute = DatePickerComponents(rawValue: 1)
    public static let date = DatePickerComponents(rawValue: 2)
}

public struct DatePicker<Label: View>: PrimitiveView {
    public typealias Components = DatePickerComponents
}
extension DatePicker where Label == Text {
    public init<Title: StringProtocol>(
        _ title: Title,
        selection: Binding<Date>,
        displayedComponents: DatePicker<Label>.Components = [.hourAndMinute, .date]
    ) { fatalError() }
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: PrimitiveView {}
extension ProgressView where Label == EmptyView, CurrentValueLabel == EmptyView {
    public init() { fatalError() }
    public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1.0) { fatalError() }
}

// MARK: Containers

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach: View where Content: View {
    public var body: Never { fatalError() }
}
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) { fatalError() }
}
extension ForEach where Content: View {
    public init(
        _ data: Data,
        id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) { fatalError() }
}

public struct Form<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) { fatalError() }
}

public struct List<SelectionValue: Hashable, Content: View>: PrimitiveView {}
extension List where SelectionValue == Never {
    public init(@ViewBuilder content: () -> Content) { fatalError() }
}

public struct Section<Parent, Content, Footer> {}
extension Section: View where Parent: View, Content: View, Footer: View {
    public var body: Never { fatalError() }
}
extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    public init(@ViewBuilder content: () -> Content) { fatalError() }
}
extension Section where Parent == Text, Content: View, Footer == EmptyView {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) { fatalError() }
}

public struct VStack<Content: View>: PrimitiveView {
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { fatalError() }
}

public struct NavigationPath {}
public struct NavigationStack<Data, Root: View>: PrimitiveView {
    public init(@ViewBuilder root: () -> Root) where Data == NavigationPath { fatalError() }
}
