/**
 * @typedef {object} StreamedEvent
 * @property {string} event
 * @property {string | undefined} id
 * @property {string} data
 */

/**
 * Yields the events of a response in the form of the standard, as they arrive. A comment yields an event without data: it shows that the
 * connection lives.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {AsyncGenerator<StreamedEvent>}
 */
export async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = (rest + value).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield eventOf(block)
  }
}

/**
 * @param {string} block
 * @returns {StreamedEvent}
 */
function eventOf(block) {
  /** @type {Record<string, string>} */
  const fields = {}
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    fields[name] = name === 'data' && fields[name] !== undefined ? `${fields[name]}\n${value}` : value
  }
  return { event: fields['event'] ?? 'message', id: fields['id'], data: fields['data'] ?? '' }
}
