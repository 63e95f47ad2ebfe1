import { el } from './dom.js'
import { clock } from './time.js'
import { inline } from './value.js'
/** @import { Question } from './documents.ts' */

/** The notes about questions that were closed; the oldest go. */
const MOST = 5

/** The list of questions that were closed since the page was opened, with who closed them. */
export class ClosedNotes {
  #pane
  #list

  /**
   * @param {HTMLElement} pane
   * @param {HTMLElement} list
   */
  constructor(pane, list) {
    this.#pane = pane
    this.#list = list
  }

  /**
   * @param {Question} question
   * @param {string} text
   */
  add({ id, text: asked }, text) {
    const time = el('span', {}, clock(new Date().toISOString()))
    const facts = el('span', { class: 'row-facts' }, el('span', {}, text), el('code', {}, id), time)
    this.#list.prepend(el('li', {}, el('span', { class: 'row-text' }, inline(asked.trim().split('\n')[0], 90)), facts))
    while (this.#list.children.length > MOST) this.#list.lastElementChild?.remove()
    this.#pane.hidden = false
  }
}
