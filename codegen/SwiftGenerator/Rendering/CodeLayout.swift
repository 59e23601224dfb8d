/// Code that may stand on one line, or be broken into several where it is too long.
indirect enum CodeLayout {
    /// How a list is broken.
    enum Breaking {
        /// An item a line, a comma after the last too: elements.
        case elements
        /// An item a line, the closing bracket right after the last: arguments.
        case arguments
        /// As many items as a line takes: many short ones.
        case filled
    }

    case text(String)
    case list(open: String, items: [CodeLayout], close: String, breaking: Breaking)

    /// The code on one line.
    var flat: String {
        switch self {
        case .text(let text): text
        case .list(let open, let items, let close, _): open + items.map(\.flat).joined(separator: ", ") + close
        }
    }

    /// The code in lines of at most ``Renderer/lineLength`` characters if that can be, starting after `indent` blanks;
    /// the first line is not indented. `reserve` characters stay free behind.
    func broken(indent: Int, reserve: Int = 0) -> String {
        guard case .list(let open, let items, let close, let breaking) = self,
              indent + flat.count + reserve > Renderer.lineLength, !items.isEmpty else { return flat }
        let inner = indent + 4
        let blanks = String(repeating: " ", count: inner)
        let end = "\n" + String(repeating: " ", count: indent) + close
        switch breaking {
        case .elements:
            let lines = items.map { "\(blanks)\($0.broken(indent: inner, reserve: 1)),\n" }
            return "\(open)\n\(lines.joined())\(end.dropFirst())"
        case .arguments:
            let lines = items.map { blanks + $0.broken(indent: inner, reserve: 1) }
            return "\(open)\n\(lines.joined(separator: ",\n"))\(close)"
        case .filled:
            var lines: [String] = []
            var line = ""
            for item in items.map({ "\($0.flat)," }) {
                if !line.isEmpty && inner + line.count + 1 + item.count > Renderer.lineLength {
                    lines.append(line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + item
            }
            lines.append(line)
            return "\(open)\n\(lines.map { blanks + $0 }.joined(separator: "\n"))\(end)"
        }
    }
}
