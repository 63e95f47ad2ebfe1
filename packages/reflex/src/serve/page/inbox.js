/** @import { Question } from './documents.ts' */

/** The open questions, in the order in which they are due. */
export class Inbox {
  /** @type {Map<string, Question>} */
  #questions = new Map()

  get size() {
    return this.#questions.size
  }

  /** @param {string} id */
  get(id) {
    return this.#questions.get(id)
  }

  /**
   * Returns all questions: what is due first, then those without a limit, the oldest first.
   * @returns {readonly Question[]}
   */
  get ordered() {
    return [...this.#questions.values()].sort(byDue)
  }

  /**
   * Adds a question. Returns false if it is known.
   * @param {Question} question
   */
  add(question) {
    const isNew = !this.#questions.has(question.id)
    this.#questions.set(question.id, question)
    return isNew
  }

  /**
   * Removes a question and returns it.
   * @param {string} id
   */
  remove(id) {
    const found = this.#questions.get(id)
    this.#questions.delete(id)
    return found
  }

  /**
   * Returns the question after one, or the one before it at the end.
   * @param {string} id
   */
  neighbour(id) {
    const all = this.ordered
    const at = all.findIndex((one) => one.id === id)
    return all[at + 1] ?? all[at - 1]
  }
}

/**
 * @param {Question} one
 * @param {Question} other
 */
function byDue(one, other) {
  const due = (one.due ?? '9').localeCompare(other.due ?? '9')
  return due !== 0 ? due : one.since.localeCompare(other.since) || one.id.localeCompare(other.id)
}
