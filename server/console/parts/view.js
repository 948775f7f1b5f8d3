// The views of a tool's result, as people see them.

import { h } from '../dom.js';
import { artifactOf } from './artifact.js';
import { figureOf } from './attachments.js';
import { tableOf } from './table.js';
import { folded, foldedText, treeOf } from './text.js';

/** One view: `{ text }`, `{ table }`, `{ json }`, `{ image }` or `{ artifact }`. @param {any} view @param {string} world @returns {HTMLElement} */
export const viewOf = (view, world) => h('div', { class: 'view' }, inner(view ?? {}, world));

/** @param {any} view @param {string} world */
function inner(view, world) {
  const { text, table, json, image, artifact } = view;
  if (text !== undefined) return foldedText(String(text));
  if (table) return tableOf(table);
  if (json !== undefined) return JSON.stringify(json).length > 2000 ? folded('Data', () => treeOf(json)) : treeOf(json);
  if (image) return figureOf(world, image.image, image.alt);
  return artifact ? artifactOf(artifact, world) : treeOf(view);
}
