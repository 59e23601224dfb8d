import Foundation
import UIKit

public struct InlinePickerStyle: PickerStyle {}
public struct MenuPickerStyle: PickerStyle {}
public protocol PickerStyle {}
extension PickerStyle where Self == InlinePickerStyle {
    public static var inline: InlinePickerStyle { fatalError() }
}
extension PickerStyle where Self == MenuPickerStyle {
    public static var menu: MenuPickerStyle { fatalError() }
}

extension View {
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
    public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { EmptyView() }
    @_disfavoredOverload
    public func navigationTitle<Title: StringProtocol>(_ title: Title) -> some View { EmptyView() }
    public func disabled(_ disabled: Bool) -> some View { EmptyView() }
    public func tag<Tag: Hashable>(_ tag: Tag, includeOptional: Bool = true) -> some View { EmptyView() }
    public func pickerStyle<Style: PickerStyle>(_ style: Style) -> some View { EmptyView() }
    public func font(_ font: Font?) -> some View { EmptyView() }
    public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { EmptyView() }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { EmptyView() }
    public func gesture<Recognizer: Gesture>(_ gesture: Recognizer) -> some View { EmptyView() }
    public func keyboardType(_ type: UIKeyboardType) -> some View { EmptyView() }
    public func confirmationDialog<Actions: View>(
        _ titleKey: LocalizedStringKey,
        isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> Actions
    ) -> some View { EmptyView() }
}
