import { showConnection } from './connection-line.js'
import { InboxPage } from './inbox-page.js'
import { listenForKeys } from './shortcuts.js'
import { forgetToken, keepToken, takeToken, tokenIn } from './token.js'
import { byId } from './dom.js'
import { updateTimes } from './time.js'

const form = byId('token-form')
const input = byId('token')
/** @type {InboxPage | undefined} */
let page

/** @param {string | undefined} token */
function open(token) {
  page?.stop()
  page = token === undefined ? undefined : new InboxPage(token, askForToken)
  form.hidden = token !== undefined
  byId('inbox').hidden = token === undefined
  if (token === undefined) askForToken('')
}

/**
 * Shows the form for a token. `note` says why the last one is not enough.
 * @param {string} note
 */
function askForToken(note) {
  page?.stop()
  page = undefined
  forgetToken()
  byId('token-note').textContent = note
  byId('inbox').hidden = true
  form.hidden = false
  showConnection('refused')
  input.focus()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (!(input instanceof HTMLInputElement)) return
  const token = tokenIn(input.value) ?? input.value.trim()
  input.value = ''
  if (token === '') return input.focus()
  keepToken(token)
  open(token)
})
// Another address of the server in the same tab changes only the fragment.
addEventListener('hashchange', () => {
  if (tokenIn(location.hash) !== undefined) open(takeToken())
})
addEventListener('online', () => page?.retry())
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) page?.retry()
})
byId('retry').addEventListener('click', () => page?.retry())
listenForKeys((key, isFree) => page?.press(key, isFree) ?? false)
setInterval(updateTimes, 1_000)
open(takeToken())
