// The last document and its events, kept in local storage. Storage that is blocked, full or spoiled is not an error: the page
// then starts as on a first visit.
import type { Automation, AnyEvent } from '#wasm';
import type { Document } from './state';

export interface Saved {
  readonly document: Document;
  readonly events: readonly AnyEvent[];
  readonly cursor: number;
}

const kKey = 'pumice.session';
const kBytesMax = 1024 * 1024;
const kAutomations: readonly Automation[] = ['manual', 'assist', 'auto'];

export function save(saved: Saved): void {
  try {
    const text = JSON.stringify({ v: 1, ...saved.document, events: saved.events, cursor: saved.cursor });
    if (text.length <= kBytesMax) localStorage.setItem(kKey, text);
  } catch {
    // Not kept, then.
  }
}

export function load(): Saved | null {
  try {
    const text = localStorage.getItem(kKey);
    return text === null ? null : parse(text);
  } catch {
    return null;
  }
}

/** Reads what `save` wrote; null for anything else. The events are checked by the engine when they are run. */
export function parse(text: string): Saved | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return null;
  const { v, text: body, file, automation, events, cursor } = value as Record<string, unknown>;
  if (v !== 1 || typeof body !== 'string' || typeof file !== 'string' || !Array.isArray(events)) return null;
  if (typeof cursor !== 'number' || !Number.isInteger(cursor)) return null;
  if (!kAutomations.includes(automation as Automation)) return null;
  return { document: { text: body, file, automation: automation as Automation }, events, cursor };
}

/** A small setting; falls back if storage is blocked or holds nothing. */
export function setting(name: string, fallback: string): string {
  try {
    return localStorage.getItem(`pumice.${name}`) ?? fallback;
  } catch {
    return fallback;
  }
}

export function setSetting(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`pumice.${name}`);
    else localStorage.setItem(`pumice.${name}`, value);
  } catch {
    // Holds for this visit only.
  }
}
