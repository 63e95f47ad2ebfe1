import { AnswerForm } from './answer-form.js'
import { el, fill } from './dom.js'
import { runStory } from './run-story.js'
import { clock, timeElement } from './time.js'
import { factsElement, inline } from './value.js'
/** @import { Api } from './api.js' */
/** @import { Refusal } from './answer-form.js' */
/** @import { Closed, Fault, Json, Question } from './documents.ts' */

/** One question: its text, what the asker wants to be seen, the form of the answer, and its run. */
export class QuestionView {
  element
  question
  #form
  #closed = el('div', { class: 'closed', tabindex: '-1', hidden: true })

  /**
   * @param {Question} question
   * @param {Api} api
   * @param {(value: Json, reason: string | undefined) => Promise<Refusal | undefined>} send
   */
  constructor(question, api, send) {
    const { about, error, text } = question
    this.question = question
    this.#form = new AnswerForm(question, send)
    // A long text has its first line as the heading, so that a list of headings can be heard.
    const [first = '', ...rest] = text.trim().split('\n')
    const body = rest.join('\n').trim()
    this.element = el(
      'article',
      { 'aria-labelledby': 'question-heading' },
      el('p', { class: 'eyebrow' }, ...eyebrow(question)),
      el('h2', { id: 'question-heading', tabindex: '-1', class: first.length > 140 ? 'long' : undefined }, first),
      body !== '' && el('p', { class: 'text' }, body),
      error !== undefined && faultElement(error, text),
      about !== undefined && about !== null && el('section', { 'aria-label': 'Facts for your answer' }, factsElement(about)),
      deadline(question),
      this.#closed,
      this.#form.element,
      runStory(api, question),
    )
  }

  focus() {
    this.#form.focus()
  }

  focusHeading() {
    this.element.querySelector('h2')?.focus()
  }

  focusReason() {
    this.#form.focusReason()
  }

  /** @param {string} key */
  choose(key) {
    return this.#form.choose(key)
  }

  get isOpen() {
    return !this.#form.element.hidden
  }

  /**
   * Replaces the form by a note, because the question is closed. The note gets the focus if the form had it.
   * @param {string} note
   * @param {() => void} next
   */
  close(note, next) {
    const hadFocus = this.#form.element.contains(document.activeElement)
    const button = el('button', { type: 'button', class: 'main', click: next }, 'Next question')
    fill(this.#closed, el('p', {}, note), el('div', { class: 'buttons' }, button))
    this.#closed.hidden = false
    this.#form.element.hidden = true
    if (hadFocus) this.#closed.focus()
  }
}

/** @param {Question} question */
function eyebrow(question) {
  const { id, asker, since, due } = question
  return [
    el('span', { class: 'place' }, placeOf(question)),
    asker !== undefined && el('span', {}, 'Reflex itself asks'),
    el('code', {}, id),
    el('span', {}, 'asked ', timeElement(since, 'since')),
    due !== undefined && timeElement(due, 'due'),
  ]
}

/** @param {Question} question */
function deadline({ due, otherwise }) {
  if (due === undefined) return undefined
  const what = otherwise === undefined ? 'the question expires' : `the answer is “${inline(otherwise)}”`
  return el('p', { class: 'hint' }, `If nobody answers by ${clock(due)}, ${what}.`)
}

/**
 * @param {Fault} fault
 * @param {string} text
 */
function faultElement({ code, message, fix }, text) {
  return el(
    'div',
    { class: 'fault' },
    el('p', {}, el('code', {}, code), message === text ? ' The run stopped here.' : ` ${message}`),
    fix !== undefined && el('p', {}, el('strong', {}, 'Fix: '), fix),
  )
}

/**
 * Returns where a question comes from: `refund/verify/approve`.
 * @param {Question} question
 */
export function placeOf({ program, path }) {
  return [program?.name ?? '', path].filter((part) => part !== '').join('/')
}

/**
 * Returns who closed a question, in words.
 * @param {Closed} closed
 */
export function closedText({ why, by, value, reason }) {
  if (why !== 'answer') return CLOSED.get(why ?? '') ?? 'This question is no longer open.'
  return `${by ?? 'Somebody'} answered “${inline(value)}”${reason === undefined ? '' : `, because: ${reason}`}.`
}

const CLOSED = new Map([
  ['expired', 'Nobody answered in time.'],
  ['ended', 'The run has ended.'],
  ['dropped', 'The program no longer needs an answer.'],
])
