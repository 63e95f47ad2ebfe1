import { forgetDraft } from './answer-form.js'
import { Announcer } from './announcer.js'
import { Api, questionPath } from './api.js'
import { byId, el, fill } from './dom.js'
import { Feed } from './feed.js'
import { Inbox } from './inbox.js'
import { ListView } from './list-view.js'
import { closedText, QuestionView } from './question-view.js'
import { clock } from './time.js'
import { inline } from './value.js'
/** @import { Refusal } from './answer-form.js' */
/** @import { Closed, Fault, Json, Question } from './documents.ts' */
/** @import { Connection } from './feed.js' */

/** The most notes about closed questions. */
const MOST_CLOSED = 5
const WIDE = matchMedia('(min-width: 52rem)')
const CONNECTION_TEXTS = {
  connecting: 'Connecting…',
  live: 'Live',
  offline: 'Offline: the server cannot be reached. Trying again.',
  refused: 'Not connected',
}

/** The page of one token: the list, the question that is shown, and the stream that keeps both right. */
export class InboxPage {
  #api
  #askForToken
  #feed
  #inbox = new Inbox()
  #list = new ListView(byId('questions'), (id) => this.#open(id, true))
  #announcer = new Announcer(byId('announcer'))
  /** @type {QuestionView | undefined} */
  #view
  #isLoaded = false
  /** Questions that this page has closed: what the stream says of them is no news. */
  #answered = new Set()
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
    const isArrow = this.#list.hasFocus || document.activeElement === document.body
    if (key === 'j' || (key === 'ArrowDown' && isArrow)) return this.#move(1)
    if (key === 'k' || (key === 'ArrowUp' && isArrow)) return this.#move(-1)
    if (key === 'Enter' && document.activeElement === document.body && this.#view !== undefined) return this.#enter()
    if (key === 'r' && this.#view?.isOpen === true) {
      this.#view.focusReason()
      return true
    }
    return key.length === 1 && this.#isQuestionShown && (this.#view?.choose(key) ?? false)
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
    const question = this.#inbox.remove(closed.question)
    if (question === undefined) return
    const text = closedText(closed)
    this.#note(question, text)
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
   * Shows a question. `isWanted`: a person chose it, so the focus goes to its answer, and a narrow screen shows nothing else.
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
    this.#view.focus()
  }

  get #isQuestionShown() {
    return WIDE.matches || document.body.dataset['pane'] === 'question'
  }

  #enter() {
    this.#view?.focus()
    return true
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
    const reply = await sent.catch(() => undefined)
    if (reply === undefined) return { message: 'The server cannot be reached. The answer was not sent; it is still here.' }
    const { status, body } = reply
    if (status === 200) return this.#taken(question, value)
    const error = /** @type {Fault} */ (/** @type {unknown} */ (body['error']))
    if (status === 401) {
      this.#askForToken('The token is no longer valid: the server was started again, perhaps.')
      return undefined
    }
    if (status === 409 || status === 404) {
      this.#lost(question, status, error)
      return undefined
    }
    const choices = question.options?.map((option) => option.label ?? option.value).join(', ')
    return {
      message:
        error.code === 'R4200' && choices !== undefined
          ? `This is not one of the choices: ${choices}.`
          : `${error.message}. ${error.fix ?? ''}`,
      ...(error.data?.problems === undefined ? {} : { problems: error.data.problems }),
    }
  }

  /**
   * @param {Question} question
   * @param {Json} value
   */
  #taken(question, value) {
    const text = `You answered “${inline(value)}”.`
    this.#answered.add(question.id)
    this.#note(question, text)
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
   * @param {number} status
   * @param {Fault} error
   */
  #lost(question, status, error) {
    this.#answered.add(question.id)
    this.#inbox.remove(question.id)
    forgetDraft(question.id)
    // "otter has no open question q1; ana was first, with yes; record 7 closed it": the first part is known.
    const who = error.message.split('; ').slice(1).join('; ')
    const why = status === 404 ? `The server does not have it any more: ${error.message}` : who === '' ? error.message : who
    const text = `Your answer was not used. ${status === 409 ? 'The question was already closed: ' : ''}${why}.`
    this.#note(question, text)
    if (this.#view?.question.id === question.id) this.#view.close(text, () => this.#openNext())
    this.#show()
  }

  /**
   * Keeps a note about a closed question below the list.
   * @param {Question} question
   * @param {string} text
   */
  #note({ id, text: asked }, text) {
    const notes = byId('closed')
    const time = el('span', { class: 'muted' }, clock(new Date().toISOString()))
    notes.prepend(
      el(
        'li',
        {},
        el('span', { class: 'row-text' }, inline(asked.split('\n')[0], 90)),
        el('span', { class: 'row-facts' }, el('span', {}, text), el('code', {}, id), time),
      ),
    )
    while (notes.children.length > MOST_CLOSED) notes.lastElementChild?.remove()
    byId('closed-pane').hidden = false
  }

  /** @param {Connection} connection */
  #showConnection(connection) {
    if (connection.is === 'refused') {
      const { status, error } = connection
      return this.#askForToken(status === 403 ? `${error.message}. ${error.fix ?? ''}` : 'The token is not valid, or no longer valid.')
    }
    const element = byId('connection')
    // A short interruption is not worth a word: after each of them the page connects again at once.
    if (connection.is === 'connecting' && element.dataset['is'] === 'offline') return
    element.dataset['is'] = connection.is
    fill(element, CONNECTION_TEXTS[connection.is])
    byId('retry').hidden = connection.is !== 'offline'
  }
}
