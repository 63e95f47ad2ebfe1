import { el } from './dom.js'
import { placeOf } from './question-view.js'
import { timeElement } from './time.js'
/** @import { Question } from './documents.ts' */

/** The list of open questions. It is one stop of the tab key; its own keys move inside. */
export class ListView {
  #list
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map()
  /** @type {string | undefined} */
  #current

  /**
   * @param {HTMLElement} list
   * @param {(id: string) => void} onOpen
   */
  constructor(list, onOpen) {
    this.#list = list
    list.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      const id = button?.dataset['id']
      if (id !== undefined) onOpen(id)
    })
  }

  /**
   * Shows these questions in this order. Rows that stay are not touched, so that nothing loses the focus. If the row with the focus goes,
   * the row in its place gets it.
   * @param {readonly Question[]} questions
   */
  show(questions) {
    const wanted = new Set(questions.map(({ id }) => id))
    const rows = [...this.#buttons.keys()]
    const focused = rows.findIndex((id) => this.#buttons.get(id) === document.activeElement)
    for (const id of rows.filter((id) => !wanted.has(id))) {
      this.#buttons.get(id)?.parentElement?.remove()
      this.#buttons.delete(id)
    }
    /** @type {Element | null} */
    let next = this.#list.firstElementChild
    for (const question of questions) {
      const known = this.#buttons.get(question.id)
      if (known !== undefined) next = known.parentElement?.nextElementSibling ?? null
      else {
        const button = rowButton(question)
        this.#buttons.set(question.id, button)
        this.#list.insertBefore(el('li', {}, button), next)
      }
    }
    this.#buttons = new Map(questions.flatMap(({ id }) => [/** @type {const} */ ([id, this.#button(id)])]))
    this.mark(this.#current)
    const lost = rows[focused]
    if (lost !== undefined && !wanted.has(lost)) this.focus(rows.slice(focused).find((id) => wanted.has(id)) ?? questions.at(-1)?.id)
  }

  /** @param {string} id */
  #button(id) {
    const found = this.#buttons.get(id)
    if (found === undefined) throw new Error(`the list has no row ${id}`)
    return found
  }

  /**
   * Marks the question that is shown. It is where the tab key enters the list.
   * @param {string | undefined} current
   */
  mark(current) {
    this.#current = current
    const entry = current !== undefined && this.#buttons.has(current) ? current : this.#buttons.keys().next().value
    for (const [id, button] of this.#buttons) {
      button.tabIndex = id === entry ? 0 : -1
      if (id === current) button.setAttribute('aria-current', 'true')
      else button.removeAttribute('aria-current')
    }
  }

  /**
   * Returns false if the row is not there, or hidden on a narrow screen.
   * @param {string | undefined} id
   */
  focus(id) {
    const button = id === undefined ? undefined : this.#buttons.get(id)
    button?.focus()
    return button !== undefined && button === document.activeElement
  }

  /** True if the list has the focus. */
  get hasFocus() {
    return this.#list.contains(document.activeElement)
  }
}

/** @param {Question} question */
function rowButton(question) {
  const { id, text, due, since } = question
  return el(
    'button',
    { type: 'button', 'data-id': id },
    el('span', { class: 'row-text' }, text.trim().split('\n')[0] ?? ''),
    el(
      'span',
      { class: 'row-facts' },
      el('span', {}, placeOf(question)),
      el('code', {}, id),
      due === undefined ? timeElement(since, 'since') : timeElement(due, 'due'),
    ),
  )
}
