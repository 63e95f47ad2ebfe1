import { forgetDraft } from './answer-form.js'
import { Announcer } from './announcer.js'
import { Api, questionPath } from './api.js'
import { ClosedNotes } from './closed-notes.js'
import { showConnection } from './connection-line.js'
import { byId, fill } from './dom.js'
import { Feed } from './feed.js'
import { Inbox } from './inbox.js'
import { ListView } from './list-view.js'
import { closedText, QuestionView } from './question-view.js'
import { faultOf, faultText, isTooLate, lostText, refusalOf } from './refusal.js'
import { inline } from './value.js'
/** @import { Refusal } from './answer-form.js' */
/** @import { Closed, Json, Question } from './documents.ts' */
/** @import { Connection } from './feed.js' */

const WIDE = matchMedia('(min-width: 52rem)')

/** The page of one token: the list, the question that is shown, and the stream that keeps both right. */
export class InboxPage {
  #api
  #askForToken
  #feed
  #inbox = new Inbox()
  #list = new ListView(byId('questions'), (id) => this.#open(id, true))
  #announcer = new Announcer(byId('announcer'))
  #notes = new ClosedNotes(byId('closed-pane'), byId('closed'))
  /** @type {QuestionView | undefined} */
  #view
  #isLoaded = false
  /**
   * Questions that this page has closed: what the stream says of them is no news.
   * @type {Set<string>}
   */
  #answered = new Set()
  /**
   * Answers on their way, and what the stream said of their questions in the meantime.
   * @type {Map<string, Closed | undefined>}
   */
  #sending = new Map()
  #stop = new AbortController()

  /**
   * @param {string} token
   * @param {(note: string) => void} askForToken
   */
  constructor(token, askForToken) {
    this.#api = new Api(token)
    this.#askForToken = askForToken
    const { signal } = this.#stop
    byId('back').addEventListener('click', () => history.back(), { signal })
    addEventListener('popstate', () => this.#showList(), { signal })
    this.#feed = new Feed(this.#api, {
      all: (questions) => this.#takeAll(questions),
      opened: (question) => this.#takeOpened([question]),
      closed: (closed) => this.#takeClosed(closed),
      connection: (connection) => this.#showConnection(connection),
    })
  }

  stop() {
    this.#stop.abort()
    this.#feed.stop()
    fill(byId('question'))
    fill(byId('questions'))
  }

  retry() {
    this.#feed.retry()
  }

  /**
   * Does what a key stands for. Returns false for a key without a meaning here.
   * @param {string} key
   * @param {boolean} isFree False if a field has the focus
   */
  press(key, isFree) {
    if (key === 'Escape') return this.#leave()
    if (!isFree) return false
    const step = this.#stepOf(key)
    if (step !== undefined) return this.#move(step)
    const view = this.#isQuestionShown && this.#view?.isOpen === true ? this.#view : undefined
    if (view === undefined) return false
    if (key === 'r') view.focusReason()
    else if (key === 'Enter' && this.#isAtHeading) view.focus()
    else return key.length === 1 && view.choose(key)
    return true
  }

  /**
   * Returns the step in the list that a key stands for. Arrows belong to choices, too, so they count only in the list.
   * @param {string} key
   */
  #stepOf(key) {
    const isInList = this.#list.hasFocus || document.activeElement === document.body
    if (key === 'j' || (key === 'ArrowDown' && isInList)) return 1
    return key === 'k' || (key === 'ArrowUp' && isInList) ? -1 : undefined
  }

  /** @param {readonly Question[]} questions */
  #takeAll(questions) {
    const open = new Set(questions.map(({ id }) => id))
    for (const { id } of this.#inbox.ordered) if (!open.has(id)) this.#takeClosed({ question: id })
    const isFirst = !this.#isLoaded
    this.#isLoaded = true
    this.#takeOpened(questions, isFirst)
  }

  /**
   * @param {readonly Question[]} questions
   * @param {boolean} [isFirst]
   */
  #takeOpened(questions, isFirst = false) {
    const added = questions.filter((question) => !this.#answered.has(question.id) && this.#inbox.add(question))
    if (added.length > 0 || isFirst) this.#show()
    if (!isFirst) this.#announcer.opened(added)
  }

  /** @param {Closed} closed */
  #takeClosed(closed) {
    // The answer of this page may arrive here before the reply to it does.
    if (this.#sending.has(closed.question)) {
      this.#sending.set(closed.question, closed)
      return
    }
    forgetDraft(closed.question)
    const question = this.#inbox.remove(closed.question)
    if (question === undefined) return
    const text = closedText(closed)
    this.#notes.add(question, text)
    this.#announcer.say(`${inline(question.text, 80)}: ${text}`)
    if (this.#view?.question.id === closed.question) this.#view.close(text, () => this.#openNext())
    this.#show()
  }

  /** Shows the list as it is, and on a wide screen a question beside it. */
  #show() {
    const { ordered, size } = this.#inbox
    this.#list.show(ordered)
    fill(byId('count'), size)
    byId('empty').hidden = size > 0
    document.title = size === 0 ? 'Inbox · Reflex' : `(${size}) Inbox · Reflex`
    const [first] = ordered
    if (this.#view === undefined && first !== undefined) this.#open(first.id, false)
  }

  /**
   * Shows a question. `isWanted`: a person chose it, so the focus goes there, and a narrow screen shows nothing else.
   * @param {string} id
   * @param {boolean} isWanted
   */
  #open(id, isWanted) {
    const question = this.#inbox.get(id)
    if (question === undefined) return
    if (this.#view?.question.id !== id) {
      this.#view = new QuestionView(question, this.#api, (value, reason) => this.#answer(question, value, reason))
      fill(byId('question'), this.#view.element)
      byId('question-pane').scrollTop = 0
    }
    this.#list.mark(id)
    if (!isWanted) return
    if (!WIDE.matches && document.body.dataset['pane'] === 'list') {
      history.pushState({ pane: 'question' }, '')
      document.body.dataset['pane'] = 'question'
      scrollTo(0, 0)
    }
    this.#view.focusHeading()
  }

  get #isQuestionShown() {
    return WIDE.matches || document.body.dataset['pane'] === 'question'
  }

  /** True if nothing has the focus that Enter is for. */
  get #isAtHeading() {
    return document.activeElement === document.body || document.activeElement?.localName === 'h2'
  }

  /** @param {1 | -1} by */
  #move(by) {
    const { ordered } = this.#inbox
    const at = ordered.findIndex(({ id }) => id === this.#view?.question.id)
    const next = ordered[at < 0 ? 0 : Math.min(ordered.length - 1, Math.max(0, at + by))]
    if (next === undefined) return false
    this.#open(next.id, false)
    if (!this.#list.focus(next.id)) this.#view?.focusHeading()
    return true
  }

  /** Goes back to the list. */
  #leave() {
    if (!WIDE.matches && document.body.dataset['pane'] === 'question') history.back()
    else if (!this.#list.focus(this.#view?.question.id)) byId('list-heading').focus()
    return true
  }

  #showList() {
    document.body.dataset['pane'] = 'list'
    if (!this.#list.focus(this.#view?.question.id)) byId('list-heading').focus()
  }

  #openNext() {
    const [next] = this.#inbox.ordered
    this.#view = undefined
    fill(byId('question'))
    if (!WIDE.matches && document.body.dataset['pane'] === 'question') history.back()
    if (next === undefined) return byId('list-heading').focus()
    this.#open(next.id, false)
    this.#list.focus(next.id)
  }

  /**
   * Sends an answer. Returns why it was not taken.
   * @param {Question} question
   * @param {Json} value
   * @param {string | undefined} reason
   * @returns {Promise<Refusal | undefined>}
   */
  async #answer(question, value, reason) {
    const { id } = question
    const sent = this.#api.post(`${questionPath(id)}/answer`, { value, ...(reason === undefined ? {} : { reason }) })
    this.#sending.set(id, undefined)
    const reply = await sent.catch(() => undefined)
    const closed = this.#sending.get(id)
    this.#sending.delete(id)
    const error = reply === undefined || reply.status === 200 ? undefined : faultOf(reply.body)
    if (reply?.status === 200) return this.#taken(question, value)
    if (error !== undefined && isTooLate(error)) return this.#lost(question, lostText(error))
    if (closed !== undefined) this.#takeClosed(closed)
    if (error === undefined) return { message: 'The server cannot be reached. The answer was not sent; it is still here.' }
    if (reply?.status !== 401) return refusalOf(question, error)
    this.#askForToken('The token is no longer valid: perhaps the server was started again.')
    return undefined
  }

  /**
   * @param {Question} question
   * @param {Json} value
   */
  #taken(question, value) {
    const text = `You answered “${inline(value)}”.`
    this.#answered.add(question.id)
    this.#notes.add(question, text)
    const next = this.#inbox.neighbour(question.id)
    this.#inbox.remove(question.id)
    forgetDraft(question.id)
    this.#announcer.say(text)
    this.#view = undefined
    fill(byId('question'))
    this.#show()
    if (next !== undefined) this.#open(next.id, false)
    if (!WIDE.matches && document.body.dataset['pane'] === 'question') history.back()
    else if (!this.#list.focus(next?.id)) byId('list-heading').focus()
    return undefined
  }

  /**
   * Shows that a question was closed before the answer came.
   * @param {Question} question
   * @param {string} text
   */
  #lost(question, text) {
    this.#answered.add(question.id)
    this.#inbox.remove(question.id)
    forgetDraft(question.id)
    this.#notes.add(question, text)
    if (this.#view?.question.id === question.id) this.#view.close(text, () => this.#openNext())
    this.#show()
    return undefined
  }

  /** @param {Connection} connection */
  #showConnection(connection) {
    if (connection.is !== 'refused') return showConnection(connection.is)
    const { status, error } = connection
    this.#askForToken(status === 403 ? faultText(error) : 'The token is not valid, or no longer valid.')
  }
}
