/// What the pages of surveys add to the style sheet of all pages.
enum SurveyStyle {
    static let text = """
        [hidden] { display: none !important; }
        body.survey { padding-bottom: 3rem; }
        .skip { position: absolute; left: -99rem; padding: .5rem 1rem; background: var(--paper); }
        .skip:focus { left: .5rem; top: .5rem; z-index: 1; }
        .survey main { max-width: 44rem; outline: none; }
        .survey form { display: block; }
        .survey #items { padding: 1.25rem 1.5rem; }
        .survey fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
        .survey legend { padding: 0; font-weight: 600; overflow-wrap: anywhere; }
        .survey label, .survey .label { font-weight: 600; overflow-wrap: anywhere; }
        .progress progress { width: 100%; height: .6rem; accent-color: var(--link); }
        .progress p { margin: .1rem 0 0; color: var(--quiet); font-size: .9375rem; }
        .item { padding: 1rem 0; border-top: 1px solid var(--line); }
        .survey input:focus, .survey input:focus-within { outline: 3px solid var(--link); \
        outline-offset: 2px; }
        .item:focus, .group:focus, tr:focus { outline: none; }
        .item:first-child { border-top: 0; padding-top: .25rem; }
        .item.wrong { border-left: 4px solid var(--bad); padding-left: .9rem; margin-left: -.9rem; }
        .item .problem { border: 0; background: none; padding: 0; color: var(--bad); font-weight: 600; \
        margin: .25rem 0; }
        .summary h2 { margin: 0; } .summary ul { margin: .25rem 0 0; padding-left: 1.25rem; }
        .question { display: grid; gap: .45rem; } .question > label { display: block; }
        fieldset.question { display: block; } fieldset.question > * + * { margin-top: .45rem; }
        .rich-bold { font-weight: 700; } .rich-normal { font-weight: 400; } \
        .rich-italic { font-style: italic; }
        .rich-underline { text-decoration: underline; } .rich-through { text-decoration: line-through; }
        .rich-upper { text-transform: uppercase; }
        .rich-red { color: light-dark(#a40e26, #ff8b8b); } \
        .rich-green { color: light-dark(#0a5c2b, #6fd08c); }
        .rich-blue { color: light-dark(#0b4aa2, #8ab8ff); } \
        .rich-orange { color: light-dark(#8a4300, #ffb066); }
        .rich-purple { color: light-dark(#5b2a9d, #c8a6ff); } .rich-gray { color: var(--quiet); }
        .mark { color: var(--bad); }
        .hint { color: var(--quiet); font-size: .9375rem; margin: 0; }
        .group { padding: .75rem 0 !important; }
        .group > legend { font-size: 1.15rem; }
        .group .group { border-left: 3px solid var(--line) !important; padding-left: 1rem !important; \
        margin-top: .75rem; }
        .nested { border-left: 3px solid var(--line); padding-left: 1rem; margin-top: .5rem; }
        .display { padding: .5rem 0; }
        .options { display: grid; gap: .4rem; }
        .options.row { grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); }
        .search { display: flex; gap: .6rem; align-items: center; } .search input { flex: 1 1 auto; }
        .columns { display: grid; gap: 0 1.25rem; align-items: start; }
        @media (min-width: 40rem) {
          .columns-2 { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          .columns-3 { grid-template-columns: repeat(3, minmax(0, 1fr)); }
          .columns-4 { grid-template-columns: repeat(4, minmax(0, 1fr)); }
          .columns-5 { grid-template-columns: repeat(5, minmax(0, 1fr)); }
          .columns-6 { grid-template-columns: repeat(6, minmax(0, 1fr)); }
        }
        .survey label.choice { display: flex; gap: .7rem; align-items: center; padding: .65rem .9rem; \
        border: 1px solid var(--line);
          border-radius: .5rem; font-weight: 400; cursor: pointer; background: var(--paper); }
        .survey label.choice:hover { border-color: var(--link); }
        .survey label.choice:has(:checked) {
          border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); background: var(--soft); }
        .survey label.choice.small { display: inline-flex; padding: .2rem .6rem; }
        .survey input[type=radio], .survey input[type=checkbox] { width: 1.5rem; height: 1.5rem; margin: 0; \
        flex: none;
          accent-color: var(--link); }
        .survey label.open { margin-top: .5rem; font-weight: 400; }
        .survey select, .survey textarea {
          font: inherit; padding: .6rem .7rem; border: 1px solid var(--quiet); border-radius: .4rem;
          background: var(--paper); color: var(--ink); width: 100%; }
        .survey [aria-invalid=true] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
        .survey input.number { max-width: 10rem; }
        .quantity, .slider { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
        .quantity label.unit { min-width: 7rem; }
        .slider input[type=range] { flex: 1 1 14rem; padding: 0; min-height: 2rem; \
        accent-color: var(--link); border: 0; }
        .slider input.number { max-width: 6rem; }
        .date { display: flex; flex-wrap: wrap; gap: .75rem; }
        .survey label.part { font-weight: 400; font-size: .9375rem; }
        .part input { width: 4.5rem; } .part.year input { width: 6rem; } .part.time input { width: 9rem; }
        .computed { font-size: 1.15rem; font-weight: 600; }
        .buttons { flex-direction: row-reverse; justify-content: space-between; }
        .buttons button { min-width: 8rem; padding: .75rem 1.4rem; }
        button.small { padding: .3rem .8rem; font-size: .9375rem; }
        p.small { font-size: .875rem; }
        .media { max-width: 100%; height: auto; border-radius: .4rem; } .choice .media { max-height: 8rem; }
        .files { list-style: none; padding: 0; margin: 0; } .files li { padding: .3rem 0; }
        .matrix th[scope=col] { text-align: center; }
        .matrix td { text-align: center; vertical-align: middle; padding: .45rem .35rem; }
        .matrix label.cell { display: block; padding: .35rem; cursor: pointer; } .matrix label.cell span { \
        display: none; }
        .matrix tr.wrong th { color: var(--bad); }
        .matrix .problem, .rows .problem { border: 0; background: none; padding: 0; color: var(--bad); }
        @media (max-width: 40rem) {
          .survey #items { padding: .75rem 1rem; margin-left: -.5rem; margin-right: -.5rem; }
          .survey h1 { font-size: 1.4rem; margin-top: 1rem; }
          .matrix tr, .rows tr { padding: .9rem 0; }
          .matrix td { display: block; padding: .2rem 0; }
          .matrix td::before { content: none; }
          .matrix label.cell { display: flex; gap: .7rem; align-items: center; padding: .6rem .9rem; \
        border: 1px solid var(--line);
            border-radius: .5rem; text-align: left; font-weight: 400; }
          .matrix label.cell span { display: inline; }
          .matrix label.cell:has(:checked) {
            border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); background: var(--soft); }
          .rows td { display: block; padding: .3rem 0; } .rows td::before { display: block; }
          .buttons button { flex: 1 1 auto; }
        }
        """
}
