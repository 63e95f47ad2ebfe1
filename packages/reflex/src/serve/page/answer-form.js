import { el, fill } from './dom.js'
import { fieldOf } from './schema-field.js'
/** @import { Field } from './field-frame.js' */
/** @import { Json, JsonObject, Problem, Question, QuestionOption } from './documents.ts' */

/**
 * Why an answer was not taken: a message for the form, and messages for its fields.
 * @typedef {{ readonly message: string, readonly problems?: readonly Problem[] }} Refusal
 */

/**
 * What was typed, for a reload of the page.
 * @typedef {{ choice: number, other: boolean, field: Json, reason: string }} Draft
 */

/** The answer of a question that asks only to try again. */
const RETRY = { value: 'retry', label: 'Try again' }
const OTHER = 'other'

/** The form of a question: its choices, or the fields of its schema, or both, and a reason. */
export class AnswerForm {
  element
  #question
  #send
  /** @type {readonly HTMLInputElement[]} */
  #choices = []
  /** @type {readonly QuestionOption[]} */
  #options
  /** @type {HTMLInputElement | undefined} */
  #other
  /** @type {Field | undefined} */
  #field
  #reason = el('textarea', { rows: 1, class: 'text', id: 'reason', autocomplete: 'off', 'aria-keyshortcuts': 'r' })
  #problem = el('p', { class: 'problem', role: 'alert', id: 'form-problem' })
  #button = el('button', { type: 'submit', class: 'main' }, 'Answer')
  #isSending = false

  /**
   * @param {Question} question
   * @param {(value: Json, reason: string | undefined) => Promise<Refusal | undefined>} send
   */
  constructor(question, send) {
    this.#question = question
    this.#send = send
    const { options = [], schema, error } = question
    this.#options = options.length === 0 && schema === undefined && error !== undefined ? [RETRY] : options
    const isTyped = schema !== undefined || this.#options.length === 0
    if (isTyped)
      this.#field = fieldOf(schema ?? { type: 'string' }, {
        label: schema === undefined || schema['type'] !== 'object' ? 'Answer' : '',
        required: true,
      })
    this.element = el('form', {
      class: 'answer',
      novalidate: true,
      'aria-label': 'Your answer',
      submit: (event) => void this.#submit(event),
    })
    this.#build()
    this.#restore()
    this.#refresh()
    this.element.addEventListener('input', () => {
      this.#refresh()
      this.#keep()
    })
  }

  #build() {
    const parts = []
    if (this.#options.length > 0) {
      const radio = () => el('input', { type: 'radio', name: 'choice' })
      this.#choices = this.#options.map(radio)
      const rows = this.#options.map((option, i) => choiceRow(option, i, this.#choices[i]))
      if (this.#field !== undefined) {
        this.#other = radio()
        rows.push(choiceRow({ value: OTHER, label: 'Another answer' }, rows.length, this.#other))
      }
      parts.push(
        el('fieldset', { class: 'choices', 'aria-describedby': 'form-problem' }, el('legend', { class: 'hidden' }, 'Choices'), ...rows),
      )
      if (this.#choices.length === 1 && this.#choices[0] !== undefined) this.#choices[0].checked = true
    }
    if (this.#field !== undefined) parts.push(this.#field.element)
    const label = el('label', { for: 'reason' }, 'Reason', el('span', { class: 'optional' }, ' optional'))
    parts.push(el('div', { class: 'field reason' }, label, this.#reason), this.#problem, el('div', { class: 'buttons' }, this.#button))
    this.element.append(...parts)
  }

  /**
   * Selects a choice by its number, from 1, or its key. Returns false if there is none.
   * @param {string} key
   */
  choose(key) {
    const byNumber = /^[1-9]$/.test(key)
      ? [...this.#choices, ...(this.#other === undefined ? [] : [this.#other])][Number(key) - 1]
      : undefined
    const found = byNumber ?? this.#choices[this.#options.findIndex((option) => option.key?.toLowerCase() === key.toLowerCase())]
    if (found === undefined) return false
    found.checked = true
    found.focus()
    this.#refresh()
    this.#keep()
    return true
  }

  focus() {
    const chosen = [...this.#choices, this.#other].find((input) => input?.checked) ?? this.#choices[0]
    if (chosen === undefined) this.#field?.focus()
    else chosen.focus()
  }

  focusReason() {
    this.#reason.focus()
  }

  /** The fields belong to the choice "Another answer"; the button says what it sends. */
  #refresh() {
    if (this.#field !== undefined && this.#other !== undefined) this.#field.element.hidden = !this.#other.checked
    const option = this.#options[this.#choices.findIndex(({ checked }) => checked)]
    fill(this.#button, option === undefined ? 'Send the answer' : `Answer: ${option.label ?? option.value}`)
    fill(this.#problem)
  }

  /** Keeps what was typed, for a reload of the page. */
  #keep() {
    /** @type {Draft} */
    const draft = {
      choice: this.#choices.findIndex(({ checked }) => checked),
      other: this.#other?.checked ?? false,
      field: this.#field?.draft() ?? null,
      reason: this.#reason.value,
    }
    sessionStorage.setItem(draftKey(this.#question.id), JSON.stringify(draft))
  }

  #restore() {
    const kept = sessionStorage.getItem(draftKey(this.#question.id))
    if (kept === null) return
    const { choice, other, field, reason } = /** @type {Draft} */ (JSON.parse(kept))
    const chosen = other ? this.#other : this.#choices[choice]
    if (chosen !== undefined) chosen.checked = true
    this.#field?.restore(field)
    this.#reason.value = reason
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault()
    const value = this.#value()
    if (this.#isSending || value === undefined) return
    this.#isSending = true
    this.#button.setAttribute('aria-disabled', 'true')
    const reason = this.#reason.value.trim()
    const refusal = await this.#send(value.value, reason === '' ? undefined : reason)
    this.#isSending = false
    this.#button.removeAttribute('aria-disabled')
    if (refusal !== undefined) this.#refuse(refusal)
  }

  /** Returns the answer. If it is not complete, shows what is missing and returns undefined. */
  #value() {
    const option = this.#options[this.#choices.findIndex(({ checked }) => checked)]
    if (option !== undefined) return { value: option.value }
    if (this.#field === undefined || (this.#other !== undefined && !this.#other.checked)) {
      this.#refuse({ message: 'Choose an answer first.' })
      this.#choices[0]?.focus()
      return undefined
    }
    this.#field.show([], undefined)
    const reading = this.#field.read()
    if ('value' in reading) return reading
    const [at, problem] = 'problem' in reading ? [reading.at, reading.problem] : [this.#field, 'Fill this in.']
    at.show([], problem)
    at.focus()
    return undefined
  }

  /** @param {Refusal} refusal */
  #refuse({ message, problems = [] }) {
    if (problems.length === 0 || this.#field === undefined) return fill(this.#problem, message)
    for (const { path, message } of problems) this.#field.show(path, sentence(message))
    fill(
      this.#problem,
      problems.length === 1
        ? 'One value does not fit. It is marked above.'
        : `${problems.length} values do not fit. They are marked above.`,
    )
    const wrong = this.element.querySelector('[aria-invalid=true], .wrong input')
    if (wrong instanceof HTMLElement) wrong.focus()
  }
}

/**
 * Forgets what was typed for a question that is closed.
 * @param {string} id
 */
export function forgetDraft(id) {
  sessionStorage.removeItem(draftKey(id))
}

/** @param {string} id */
function draftKey(id) {
  return `reflex.draft.${id}`
}

/**
 * @param {QuestionOption} option
 * @param {number} i
 * @param {HTMLInputElement | undefined} input
 */
function choiceRow({ value, label, detail, key }, i, input) {
  if (i < 9) input?.setAttribute('aria-keyshortcuts', [String(i + 1), ...(key === undefined ? [] : [key.toLowerCase()])].join(' '))
  return el(
    'label',
    { class: 'choice' },
    input,
    i < 9 && el('kbd', { 'aria-hidden': 'true' }, i + 1),
    el('span', { class: 'name' }, label ?? value),
    detail !== undefined && el('span', { class: 'detail' }, detail),
  )
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
