// What the page and an editor say to each other. The plain text area and CodeMirror both speak it.
import type { Diagnostic } from '#wasm';

export interface EditorHost {
  readonly text: string;
  onEdit(text: string): void;
  /** Ctrl+Enter. */
  onSubmit(): void;
  /** Escape: the next Tab leaves the editor. */
  onEscape(): void;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface EditorHandle {
  setText(text: string): void;
  setDiagnostics(diagnostics: readonly Diagnostic[]): void;
  /** The text that was started: places of rules refer to it, wherever its lines are by now. */
  markStarted(text: string): void;
  /** Marks the lines of the rule that begins there and scrolls to them; null: no rule. */
  setRule(place: Place | null): void;
  /** Puts the cursor there. `started`: the place is one in the started text. */
  goTo(line: number, column: number, started: boolean): void;
  focus(): void;
  destroy(): void;
}
