/// The style and the script of a ``ReportPage``, as they are written into it.
enum ReportAssets {
    /// The style of the page: for light and dark screens, narrow ones, and paper.
    static let style: StaticString = """

        :root {
          color-scheme: light dark;
          --ground: #f5f6f4; --paper: #ffffff; --ink: #17211f; --soft: #5a6764;
          --line: #dde2df; --faint: #eef1ef; --aside: #9aa6a2;
          --s1: #0b6bcb; --s2: #c2540a; --s3: #8a3ab9; --s4: #5f6b68; --s5: #14804a; --s6: #a8325e;
          --bad: #b3261e; --badground: #fdecea; --warn: #8a5a00; --warnground: #fff5dd;
          --know: #0b5394; --knowground: #e8f1fb; --good: #14713f;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #10151a; --paper: #182027; --ink: #e7edf0; --soft: #9fb0b8;
            --line: #2e3a43; --faint: #222c34; --aside: #8597a1;
            --s1: #5db0ff; --s2: #ff9d57; --s3: #cf9bf5; --s4: #a9b8be; --s5: #5fd39a;
            --s6: #ff8fb3;
            --bad: #ff8a80; --badground: #3b1d1c; --warn: #f2c46d; --warnground: #33290f;
            --know: #8ec5ff; --knowground: #162b40; --good: #5fd39a;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--ground); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
        }
        main { max-width: 1080px; margin: 0 auto; padding: 32px 24px 64px; }
        header { margin-bottom: 24px; }
        header p { margin: 0; }
        .kind { color: var(--soft); font-size: 14px; letter-spacing: 0.02em; }
        h1 { font-size: 30px; line-height: 1.2; margin: 4px 0 8px; overflow-wrap: anywhere; }
        h2 { font-size: 20px; margin: 44px 0 12px; overflow-wrap: anywhere; }
        h3 { font-size: 16px; margin: 26px 0 8px; overflow-wrap: anywhere; }
        p { margin: 8px 0; overflow-wrap: anywhere; }
        .subject { font-size: 17px; }
        .soft, .note { color: var(--soft); }
        .note { font-size: 13.5px; max-width: 78ch; }
        .good { color: var(--good); } .bad { color: var(--bad); }
        .cautions { list-style: none; margin: 0 0 24px; padding: 0; }
        .cautions li {
          margin: 0 0 6px; padding: 7px 14px; border-left: 4px solid; border-radius: 4px;
          overflow-wrap: anywhere;
        }
        .cautions .violation { border-color: var(--bad); background: var(--badground); }
        .cautions .warning { border-color: var(--warn); background: var(--warnground); }
        .cautions .remark { border-color: var(--know); background: var(--knowground); }
        .cautions .violation strong { color: var(--bad); }
        .cautions .warning strong { color: var(--warn); }
        .cautions .remark strong { color: var(--know); }
        .cards {
          display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr));
          gap: 12px; margin: 0;
        }
        .cards div {
          background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
          padding: 14px 16px;
        }
        .cards dt { color: var(--soft); font-size: 14px; }
        .cards dd { margin: 0; }
        .cards strong {
          display: block; font-size: 27px; line-height: 1.3; font-weight: 650;
          font-variant-numeric: tabular-nums; white-space: nowrap;
        }
        .cards small { color: var(--soft); font-size: 13px; }
        .chart {
          margin: 0 0 18px; padding: 16px 18px 12px; background: var(--paper);
          border: 1px solid var(--line); border-radius: 10px;
        }
        figcaption { font-weight: 650; }
        .legend {
          display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 6px 0 10px;
          padding: 0; font-size: 14px; color: var(--soft);
        }
        .legend li { white-space: nowrap; }
        .key { width: 26px; height: 10px; margin-right: 7px; vertical-align: middle; }
        .legend button {
          all: unset; cursor: pointer; border-radius: 4px; padding: 2px 4px; margin: -2px -4px;
        }
        .legend button:focus-visible, .plot:focus-visible { outline: 2px solid var(--s1); }
        .legend button[aria-pressed="false"] { opacity: 0.4; text-decoration: line-through; }
        .frame { padding-left: 62px; font-size: 13px; color: var(--soft); }
        .ytitle { margin: 0 0 10px -62px; font-size: 13px; }
        .plot { position: relative; height: 250px; }
        .plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
        .plot .tip svg { position: static; width: 26px; height: 10px; }
        .y {
          position: absolute; right: 100%; margin-right: 8px; transform: translateY(-50%);
          white-space: nowrap; font-variant-numeric: tabular-nums;
        }
        .xs { position: relative; height: 22px; }
        .x {
          position: absolute; top: 4px; transform: translateX(-50%); white-space: nowrap;
          font-variant-numeric: tabular-nums;
        }
        .xtitle { text-align: right; margin-top: 2px; }
        .band {
          position: absolute; top: 2px; padding: 0 6px; overflow: hidden; white-space: nowrap;
          text-overflow: ellipsis; font-size: 12.5px; z-index: 1;
        }
        path { fill: none; vector-effect: non-scaling-stroke; }
        .grid { stroke: var(--line); stroke-width: 1; }
        .faint { stroke: var(--faint); }
        .base { stroke: var(--soft); stroke-width: 1; }
        .edge { stroke: var(--aside); stroke-width: 1; stroke-dasharray: 2 3; }
        .aside { fill: var(--aside); opacity: 0.16; }
        .line {
          stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round;
        }
        .dots { stroke-width: 5; }
        .fill { fill: currentColor; opacity: 0.1; stroke: none; }
        .s1 { color: var(--s1); } .s2 { color: var(--s2); } .s3 { color: var(--s3); }
        .s4 { color: var(--s4); } .s5 { color: var(--s5); } .s6 { color: var(--s6); }
        path.s2 { stroke-dasharray: 9 4; } path.s3 { stroke-dasharray: 3 4; }
        path.s4 { stroke-dasharray: 16 3; }
        path.s6 { stroke-dasharray: 9 3 2 3; } path.dots { stroke-dasharray: none; }
        .line.bad { stroke-width: 2.5; }
        .asked { color: var(--ink); } path.asked { stroke-width: 1.5; stroke-dasharray: 5 5; }
        .mark { stroke: var(--bad); stroke-width: 2; }
        .rule {
          position: absolute; top: 0; bottom: 0; width: 1px; background: var(--soft);
          pointer-events: none;
        }
        .tip {
          position: absolute; top: 6px; z-index: 2; pointer-events: none; padding: 8px 10px;
          background: var(--paper); color: var(--ink); border: 1px solid var(--line);
          border-radius: 6px; box-shadow: 0 2px 10px rgb(0 0 0 / 0.18); white-space: nowrap;
        }
        .tip b, .tip span { display: block; }
        .tip em { font-style: normal; font-weight: 650; float: right; padding-left: 14px; }
        [hidden] { display: none; }
        details { margin-top: 8px; font-size: 14px; }
        summary { cursor: pointer; color: var(--soft); }
        .scroll { overflow-x: auto; margin: 8px 0; }
        details .scroll { max-height: 360px; overflow: auto; }
        table { border-collapse: collapse; font-size: 14px; min-width: 60%; }
        th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); text-align: left; }
        th { font-weight: 600; }
        thead th { color: var(--soft); font-weight: 500; white-space: nowrap; }
        .figure {
          text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums;
        }
        td.bad { font-weight: 650; }
        td.word { min-width: 7em; }
        .facts { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 0; }
        .facts dt { color: var(--soft); }
        .facts dd { margin: 0; max-width: 78ch; overflow-wrap: anywhere; }
        .violation { overflow-wrap: anywhere; }
        article.violation {
          margin: 14px 0; padding: 2px 18px 10px; background: var(--paper);
          border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 6px;
        }
        .history, code {
          font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
        }
        .history { font-size: 13.5px; padding-left: 30px; }
        .history li { padding: 2px 0; white-space: pre-wrap; }
        @media (max-width: 640px) {
          main { padding: 18px 14px 40px; }
          h1 { font-size: 24px; }
          .cards { grid-template-columns: 1fr 1fr; gap: 8px; }
          .cards div { padding: 10px 12px; }
          .cards strong { font-size: 20px; }
          .chart { padding: 12px 12px 10px; }
          .frame { padding-left: 52px; }
          .ytitle { margin-left: -52px; }
          .plot { height: 210px; }
          .odd { display: none; }
          .facts { grid-template-columns: 1fr; gap: 0; }
          .facts dd { margin-bottom: 10px; }
        }
        @media print {
          :root { --ground: #ffffff; }
          body { font-size: 12px; }
          main { max-width: none; padding: 0; }
          .chart, .cards div, article, tr { break-inside: avoid; }
          h2, h3 { break-after: avoid; }
          details, .tip, .rule { display: none; }
          .plot { height: 150px; }
          .cards { grid-template-columns: repeat(4, 1fr); gap: 8px; }
          .cards div { padding: 8px 10px; }
          .cards strong { font-size: 19px; }
          .cards dt, .cards small { font-size: 10.5px; }
          .scroll { overflow: visible; }
          table { width: 100%; min-width: 0; font-size: 10px; }
          th, td { padding: 3px 7px 3px 0; }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }

        """
}
