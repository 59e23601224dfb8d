import FHIR
import Surveys
import WebServing

/// Groups that are shown as tables: the repetitions of a group as rows, or questions as rows and their
/// options as columns.
struct TableMarkup {
    /// More columns than this do not fit beside each other.
    private static let maximumColumns = 11

    let markup: Markup

    /// The repetitions of a group, one a row; nil where the group is not a table of simple questions.
    init?(_ items: ItemMarkup, rows: ArraySlice<PresentedItem>) {
        guard let first = rows.first, first.item.isTable, first.item.repeats, !first.children.isEmpty,
            first.children.count <= 6, rows.allSatisfy({ $0.children.allSatisfy(Self.isSimple) })
        else { return nil }
        // A question may be asked in one repetition and not in another.
        var columns: [PresentedItem] = []
        var seen: Set<Int> = []
        for child in rows.flatMap(\.children) where seen.insert(child.item.index).inserted {
            columns.append(child)
        }
        columns.sort { $0.item.index < $1.item.index }
        let heads = columns.map { "<th scope=\"col\">\(items.label($0))</th>" as Markup }
        let lines = rows.map { row -> Markup in
            let byItem = Dictionary(firstOf: row.children.map { ($0.item.index, $0) })
            let cells = columns.map { column -> Markup in
                guard let child = byItem[column.item.index] else { return "<td class=\"none\"></td>" }
                return
                    """
                    <td data-head="\(child.item.label(in: items.language))">\
                    \(Self.cell(items, child, row.repetition + 1))</td>
                    """
            }
            return """
                <tr id="\(row.id)" data-item="\(row.id)"><th scope="row">\(row.repetition + 1)</th>\
                \(cells)<td>\(items.errors(row))\(items.removal(row))</td></tr>
                """
        }
        markup = """
            <fieldset class="group"><legend>\(items.label(first))</legend>\
            <table class="rows"><thead><tr><th scope="col">#</th>\(heads)\
            <th scope="col"><span class="unseen">\(items.words.remove)</span></th></tr></thead>\
            <tbody>\(lines)</tbody></table></fieldset>
            """
    }

    private static func isSimple(_ item: PresentedItem) -> Bool {
        item.item.isQuestion && item.item.children.isEmpty && !item.item.repeats
            && item.control != .attachment && !item.item.format.allowsOpenChoice
    }

    private static func cell(_ items: ItemMarkup, _ item: PresentedItem, _ row: Int) -> Markup {
        guard !item.item.isReadOnly else {
            return "\(item.answerText)"
        }
        let control = ControlMarkup(
            items: items,
            item: item,
            label: "\(item.item.label(in: items.language)), \(row)"
        )
        return
            """
            <input type="hidden" name="asked" \
            value="\(item.id)">\(items.errors(item))\(control.markup)
            """
    }

    /// Choices with the same options, one a row; nil where the group is no such table.
    init?(_ items: ItemMarkup, choicesOf group: PresentedItem) {
        guard group.item.isTable, group.children.count >= 1,
            let first = group.children.first(where: { $0.item.isQuestion }),
            !first.options.isEmpty, first.options.count <= Self.maximumColumns
        else { return nil }
        let tokens = first.options.map(\.value.choiceID)
        let fits = group.children.allSatisfy { child in
            child.item.isDisplay
                || child.item.isQuestion && child.item.children.isEmpty && !child.item.format.allowsOpenChoice
                    && !child.item.isReadOnly
                    && child.control != .search && child.options.map(\.value.choiceID) == tokens
        }
        guard fits else { return nil }
        let heads = first.options.map {
            "<th scope=\"col\">\($0.label.line(in: items.language))</th>" as Markup
        }
        let lines = group.children.map { child -> Markup in
            guard child.item.isQuestion else {
                return
                    """
                    <tr><th scope="rowgroup" colspan="\(tokens.count + 1)">\(items.label(child))</th></tr>
                    """
            }
            let chosen = Set(child.answers.map(\.choiceID))
            let type: Markup = child.item.repeats ? "checkbox" : "radio"
            let cells = zip(child.options, tokens).map { option, token -> Markup in
                let label = option.label.text(in: items.language)
                return """
                    <td><label class="cell"><input type="\(type)" name="\(child.id)" value="\(token)"\
                    \(chosen.contains(token) ? " checked" : "" as Markup) \
                    aria-label="\(child.item.label(in: items.language)): \(label)">\
                    <span aria-hidden="true">\(label)</span></label></td>
                    """
            }
            let wrong: Markup = child.problems.isEmpty ? "" : " class=\"wrong\""
            return """
                <tr id="\(child.id)" data-item="\(child.id)" tabindex="-1"\(wrong)>\
                <th scope="row">\(items.label(child))<input type="hidden" name="asked" value="\(child.id)">\
                \(items.errors(child))</th>\(cells)</tr>
                """
        }
        markup = """
            <fieldset class="group" id="\(group.id)" data-item="\(group.id)">\
            <legend>\(items.label(group))</legend>\(items.errors(group))\
            <table class="matrix"><thead><tr><td></td>\(heads)</tr></thead><tbody>\(lines)</tbody></table>\
            \(items.removal(group))</fieldset>
            """
    }
}
