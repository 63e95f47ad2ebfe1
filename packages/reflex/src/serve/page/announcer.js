import { fill } from './dom.js'
import { inline } from './value.js'
/** @import { Question } from './documents.ts' */

/** Several events within this time are one sentence. */
const PAUSE_MS = 300

/** Says what changes to those who hear the page, without taking them away from what they do. */
export class Announcer {
  #element
  /** @type {string[]} */
  #sentences = []
  /** @type {Question[]} */
  #opened = []
  #isWaiting = false

  /** @param {HTMLElement} element A polite live region */
  constructor(element) {
    this.#element = element
  }

  /** @param {string} sentence */
  say(sentence) {
    this.#sentences.push(sentence)
    this.#speakSoon()
  }

  /** @param {readonly Question[]} questions */
  opened(questions) {
    if (questions.length === 0) return
    this.#opened.push(...questions)
    this.#speakSoon()
  }

  #speakSoon() {
    if (!this.#isWaiting) setTimeout(() => this.#speak(), PAUSE_MS)
    this.#isWaiting = true
  }

  #speak() {
    const [first, ...others] = this.#opened.splice(0)
    const news =
      first === undefined ? [] : others.length === 0 ? [`New question: ${inline(first.text, 120)}`] : [`${others.length + 1} new questions`]
    fill(this.#element, [...this.#sentences.splice(0), ...news].join(' '))
    this.#isWaiting = false
  }
}
