/// The files that all pages refer to.
package enum PageAssets {
    /// The style sheet or the icon; nil for other names.
    package static func response(_ name: String) -> Response? {
        switch name {
        case "style.css": file(style, type: "text/css; charset=utf-8")
        case "favicon.ico": file(icon, type: "image/svg+xml")
        default: nil
        }
    }

    /// A text that browsers may keep for ten minutes.
    package static func file(_ text: String, type: String) -> Response {
        Response(type: type, text: text).adding("Cache-Control", "max-age=600").adding(
            "X-Content-Type-Options",
            "nosniff"
        )
    }

    /// Plain, in the system's light or dark, readable on a phone.
    private static let style = """
        :root { color-scheme: light dark; --line: #d5d9e0; --soft: #f4f6f9; --link: #0a58a8; --good: #1c6b3a;
          --bad: #a3231f; --other: #6b3fa0; --ink: #1b1f24; --quiet: #565e68; --paper: #ffffff; --page: \
        #eef1f5; --band: #d9efe1; }
        @media (prefers-color-scheme: dark) { :root { --line: #353c45; --soft: #22282f; --link: #7db8f5;
          --good: #72cf94; --bad: #ff9d97; --other: #c3a2f2; --ink: #e8eaed; --quiet: #a8b0ba; --paper: \
        #1a1e23; --page: #111418;
          --band: #1e3a2b; } }
        * { box-sizing: border-box; }
        body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); }
        .bar { background: var(--paper); border-bottom: 1px solid var(--line); }
        header, main, footer { max-width: 64rem; margin: 0 auto; padding: 0 1rem; }
        header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; min-height: 3.5rem; }
        header .home { font-weight: 600; margin-right: auto; padding: .5rem 0; color: var(--ink); \
        text-decoration: none; }
        .account { display: flex; gap: .75rem; align-items: center; }
        footer { padding: 2rem 1rem; font-size: .875rem; color: var(--quiet); }
        h1 { font-size: 1.7rem; line-height: 1.25; margin: 1.5rem 0 .25rem; } h2 { font-size: 1.15rem; \
        margin: 0 0 .5rem; }
        p { margin: .5rem 0; } a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .2rem; }
        .quiet { color: var(--quiet); font-weight: 400; } .good { color: var(--good); } \
        .bad { color: var(--bad); }
        section { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem;
          padding: 1rem 1.25rem; margin: 1rem 0; }
        .narrow { max-width: 34rem; margin-left: auto; margin-right: auto; } \
        .narrow section { padding: 1.25rem 1.5rem; }
        nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem .5rem; padding: 0; \
        margin: .75rem 0; }
        nav a { display: block; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 1rem;
          background: var(--paper); text-decoration: none; font-size: .9375rem; }
        form.main { display: grid; gap: 1rem; } label { display: grid; gap: .25rem; font-weight: 500; }
        input { font: inherit; padding: .6rem .7rem; border: 1px solid var(--quiet); border-radius: .4rem;
          background: var(--paper); color: var(--ink); width: 100%; }
        button, .button { font: inherit; padding: .5rem 1.1rem; border: 1px solid var(--line); \
        border-radius: .4rem;
          background: var(--soft); color: var(--ink); cursor: pointer; text-decoration: none; display: \
        inline-block; }
        button.primary, .button.primary { background: var(--link); border-color: var(--link); \
        color: var(--paper);
          font-weight: 600; }
        button:hover, .button:hover, nav a:hover { border-color: var(--link); }
        .choices { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1rem; }
        ul.list { list-style: none; padding: 0; margin: .5rem 0 0; } \
        ul.list li { border-top: 1px solid var(--line); }
        ul.list a { display: block; padding: .75rem .25rem; } ul.list a:hover { background: var(--soft); }
        ul.able li { margin: .35rem 0; }
        label.choice { display: flex; gap: .6rem; align-items: center; font-weight: 400; cursor: pointer; }
        label.choice input { width: 1.5rem; height: 1.5rem; flex: none; } label.choice span { flex: 1; }
        li:has(> label.choice) { list-style: none; margin-left: -1.25rem; }
        ul.choices { display: block; } ul.choices button { width: 100%; text-align: left; margin: .25rem 0; }
        fieldset { border: 1px solid var(--line); border-radius: .4rem; margin: 1rem 0; }
        .problem, .note { border-left: 4px solid var(--bad); padding: .6rem .9rem; background: var(--soft);
          border-radius: 0 .3rem .3rem 0; } .note { border-color: var(--link); }
        table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
        th, td { text-align: left; padding: .45rem 1rem .45rem 0; border-top: 1px solid var(--line);
          vertical-align: top; font-weight: 400; }
        thead th { border: 0; color: var(--quiet); font-size: .875rem; } tbody th { min-width: 9rem; }
        time, .nowrap { white-space: nowrap; }
        code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
        code.verifier { font-size: 1.25rem; user-select: all; }
        pre { background: var(--soft); border-radius: .4rem; padding: .75rem; margin: 0; \
        white-space: pre-wrap;
          overflow-wrap: anywhere; }
        dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0; }
        dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); \
        gap: 1.5rem 2rem; }
        figure { margin: 0; } figcaption { font-weight: 600; } .latest { margin: 0; } .latest strong { \
        font-size: 1.35rem; }
        svg { display: block; overflow: visible; }
        .chart > svg { padding: 0 .75rem 0 3rem; } .chart polyline { vector-effect: non-scaling-stroke; }
        details { font-size: .9375rem; } summary { cursor: pointer; padding: .25rem 0; color: var(--link); }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        .legend { display: flex; flex-wrap: wrap; margin: .75rem 0 0; font-size: .875rem; }
        .key { display: inline-block; width: 1.4rem; height: .5rem; border-radius: .25rem; \
        margin: 0 .25rem 0 0; } .legend .nowrap { margin-right: .75rem; }
        svg rect.range { fill: var(--band); } svg .grid { stroke: var(--line); }
        svg .line { fill: none; stroke: var(--link); stroke-width: 2; stroke-linejoin: round; }
        svg .point { fill: var(--link); } svg .out { fill: var(--bad); } svg text { fill: var(--quiet); \
        font-size: 12px; }
        .charts.wide { grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
        .charts.wide > :last-child:nth-child(odd) { grid-column: 1 / -1; }
        form.inline { display: flex; gap: .5rem; align-items: end; max-width: 24rem; } form.inline label { \
        flex: 1; }
        nav a[aria-current] { background: var(--link); border-color: var(--link); color: var(--paper); }
        nav ul + ul { margin-top: 0; }
        [class^=mark-], [class*=" mark-"] { --mark: var(--link); fill: var(--mark); background: var(--mark); }
        line[class^=mark-] { stroke: var(--mark); stroke-width: 3; stroke-linecap: round; }
        .mark-heart, .mark-pressure { --mark: var(--bad); } .mark-heart-range { --mark: var(--bad); \
        opacity: .35; }
        .mark-resting, .mark-weight { --mark: var(--link); } \
        .mark-walking, .mark-workout { --mark: var(--good); }
        .mark-sleep-deep { --mark: #3b3fa6; } .mark-sleep-core { --mark: #3987c9; } .mark-sleep-rem { \
        --mark: #7cc1c8; }
        .mark-sleep-asleep { --mark: #4f6fb5; } .mark-sleep-awake { --mark: #d98032; } .mark-sleep-inBed { \
        --mark: #9aa3ad; }
        img.map { max-width: 31rem; width: 100%; height: auto; }
        .question h2 { overflow-wrap: anywhere; }
        svg.meter { width: 100%; height: .75rem; margin-top: .4rem; min-width: 6rem; }
        @media (max-width: 40rem) {
          section { padding: .9rem 1rem; }
          thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); }
          tbody th { display: block; border: 0; padding: 0 0 .15rem; font-weight: 500; }
          td { display: grid; grid-template-columns: 7rem 1fr; border: 0; padding: .1rem 0; }
          td::before { content: attr(data-head); color: var(--quiet); } \
        td:not([data-head]) { display: block; }
        td.none { display: none; }
        }
        """

    /// A cross on a square.
    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">\
        <rect width="16" height="16" rx="3" fill="#0a58a8"/>\
        <path d="M6.5 3h3v3.5H13v3H9.5V13h-3V9.5H3v-3h3.5z" fill="#fff"/></svg>
        """
}
