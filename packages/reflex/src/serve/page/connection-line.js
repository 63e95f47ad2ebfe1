import { byId, fill } from './dom.js'

const TEXTS = {
  connecting: 'Connecting…',
  live: 'Live',
  offline: 'Offline: the server cannot be reached. Trying again.',
  refused: 'Not connected',
}

/**
 * Shows the state of the connection, with a button where a person can do something about it.
 * @param {keyof typeof TEXTS} state
 */
export function showConnection(state) {
  const element = byId('connection')
  // Tries that follow each other are one state: who hears the page hears it once.
  if (element.dataset['is'] === state || (state === 'connecting' && element.dataset['is'] === 'offline')) return
  element.dataset['is'] = state
  fill(element, TEXTS[state])
  byId('retry').hidden = state !== 'offline'
}
