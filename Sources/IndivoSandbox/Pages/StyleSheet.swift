/// The one style sheet of the pages: plain, in the system's light or dark, readable on a phone.
enum StyleSheet {
    static let text = """
        :root { color-scheme: light dark; --line: #c8ccd2; --soft: #f3f5f8; --link: #0a58a8; --good: #1c6b3a;
          --bad: #a3231f; --ink: #1b1f24; --paper: #ffffff; }
        @media (prefers-color-scheme: dark) { :root { --line: #3a4048; --soft: #20252b; --link: #7db8f5;
          --good: #72cf94; --bad: #ff9d97; --ink: #e8eaed; --paper: #15181c; } }
        * { box-sizing: border-box; }
        body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
        header, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
        header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding-top: .75rem; }
        header .home { font-weight: 600; margin-right: auto; }
        .account { display: flex; gap: .75rem; align-items: center; }
        footer { padding-top: 2rem; padding-bottom: 2rem; font-size: .875rem; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.25rem 0 .75rem; }
        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        form.main { max-width: 26rem; display: grid; gap: .75rem; }
        label { display: grid; gap: .25rem; font-weight: 500; }
        input { font: inherit; padding: .55rem .6rem; border: 1px solid var(--line); border-radius: .4rem;
          background: var(--paper); color: var(--ink); width: 100%; }
        button, .button { font: inherit; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .4rem;
          background: var(--soft); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-block; }
        button.primary { background: var(--link); border-color: var(--link); color: var(--paper); font-weight: 600; }
        .choices { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1rem; }
        ul.list { list-style: none; padding: 0; border-top: 1px solid var(--line); }
        ul.list li { border-bottom: 1px solid var(--line); }
        ul.list a { display: block; padding: .8rem .25rem; }
        .problem { border-left: 4px solid var(--bad); padding: .5rem .75rem; background: var(--soft); }
        .note { border-left: 4px solid var(--link); padding: .5rem .75rem; background: var(--soft); }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
        th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line);
          vertical-align: top; }
        code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
        .good { color: var(--good); } .bad { color: var(--bad); }
        svg.chart { width: 100%; height: auto; max-width: 40rem; display: block; }
        svg.chart .range { fill: var(--good); opacity: .18; } svg.chart .line { fill: none; stroke: var(--link);
          stroke-width: 2; } svg.chart .point { fill: var(--link); } svg.chart text { fill: var(--ink);
          font-size: 11px; } svg.chart .axis { stroke: var(--line); }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1.5rem; }
        figure { margin: 0; } figcaption { font-weight: 500; }
        """

    /// The icon: a cross on a square.
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">\
        <rect width="16" height="16" rx="3" fill="#0a58a8"/>\
        <path d="M6.5 3h3v3.5H13v3H9.5V13h-3V9.5H3v-3h3.5z" fill="#fff"/></svg>
        """
}
