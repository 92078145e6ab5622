// The part of a long list that can be seen.
import { useEffect, useRef, useState } from "preact/hooks";

export interface Seen {
  top: number;
  left: number;
  height: number;
  width: number;
}

/** A reference for an element that scrolls, and what of its content can be seen. */
export function useSeen<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  const [seen, setSeen] = useState<Seen>({ top: 0, left: 0, height: 480, width: 900 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      const { scrollTop: top, scrollLeft: left, clientHeight: height, clientWidth: width } = element;
      setSeen((old) =>
        old.top === top && old.left === left && old.height === height && old.width === width
          ? old
          : { top, left, height, width },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  return [ref, seen] as const;
}

/** The first and the last but one of `count` items of a size that can be seen, with a few more. */
export function span(count: number, size: number, from: number, length: number, more = 4): [number, number] {
  const first = Math.max(0, Math.floor(from / size) - more);
  return [first, Math.min(count, Math.ceil((from + length) / size) + more)];
}

/** Scrolls an element so that a range of its content can be seen. */
export function reveal(element: HTMLElement | null, axis: "top" | "left", from: number, size: number, margin = 0): void {
  if (!element) return;
  const [at, length] = axis === "top" ? [element.scrollTop, element.clientHeight] : [element.scrollLeft, element.clientWidth];
  if (from < at) element.scrollTo({ [axis]: from });
  else if (from + size > at + length - margin) element.scrollTo({ [axis]: from + size - length + margin });
}
