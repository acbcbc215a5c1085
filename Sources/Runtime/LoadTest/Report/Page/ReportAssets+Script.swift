extension ReportAssets {
    /// Readings at the pointer and with the arrow keys, and lines that can be hidden. The report
    /// has the same contents without it. Written without characters that have a meaning in XML.
    static let script: StaticString = """

        "use strict";
        function showReading(plot, rule, tip, names, reading) {
          rule.style.left = reading[0];
          rule.hidden = tip.hidden = false;
          tip.textContent = "";
          const title = document.createElement("b");
          title.textContent = reading[1];
          tip.append(title);
          names.forEach((name, index) => {
            if (name.off) return;
            const row = document.createElement("span");
            row.append(name.key.cloneNode(true), name.text + "  ");
            const figure = document.createElement("em");
            figure.textContent = reading[index + 2];
            row.append(figure);
            tip.append(row);
          });
          const place = parseFloat(reading[0]);
          tip.style.left = place > 50 ? "auto" : "calc(" + reading[0] + " + 10px)";
          tip.style.right = place > 50 ? "calc(" + (100 - place) + "% + 10px)" : "auto";
        }
        for (const figure of document.querySelectorAll("figure.chart")) {
          const plot = figure.querySelector(".plot");
          const names = Array.from(figure.querySelectorAll(".legend li[data-line]"), (item) => {
            const name = {
              text: item.textContent.trim(), key: item.querySelector("svg"), off: false
            };
            const button = document.createElement("button");
            button.type = "button";
            button.setAttribute("aria-pressed", "true");
            button.append(...item.childNodes);
            item.append(button);
            button.onclick = () => {
              name.off = !name.off;
              button.setAttribute("aria-pressed", String(!name.off));
              for (const line of plot.querySelectorAll("[data-line='" + item.dataset.line + "']"))
                line.style.display = name.off ? "none" : "";
            };
            return name;
          });
          if (!plot.dataset.readings) continue;
          const readings = plot.dataset.readings.split(";").map((text) => text.split("|"));
          const rule = document.createElement("div");
          const tip = document.createElement("div");
          rule.className = "rule";
          tip.className = "tip";
          tip.setAttribute("role", "status");
          rule.hidden = tip.hidden = true;
          plot.append(rule, tip);
          plot.tabIndex = 0;
          plot.setAttribute("role", "group");
          plot.setAttribute("aria-label", "Read the chart with the arrow keys");
          let at = -1;
          const show = (index) => {
            at = Math.min(Math.max(index, 0), readings.length - 1);
            showReading(plot, rule, tip, names, readings[at]);
          };
          const hide = () => { rule.hidden = tip.hidden = true; };
          plot.onpointermove = (event) => {
            const box = plot.getBoundingClientRect();
            const place = (event.clientX - box.left) / box.width * 100;
            let best = 0;
            readings.forEach((reading, index) => {
              const away = Math.abs(parseFloat(reading[0]) - place);
              if (Math.abs(parseFloat(readings[best][0]) - place) > away) best = index;
            });
            show(best);
          };
          plot.onpointerleave = hide;
          plot.onblur = hide;
          plot.onkeydown = (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (step) { show(at + step); event.preventDefault(); }
            if (event.key === "Home") { show(0); event.preventDefault(); }
            if (event.key === "End") { show(readings.length - 1); event.preventDefault(); }
            if (event.key === "Escape") hide();
          };
        }

        """
}
