/** An element of a document, in the order in which they begin. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** The text of its first child, if that is a title. */
  title?: string
  text: string
}

const TOKEN = /<\/([a-z]+)>|<([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>|([^<]+)/gy

/** Reads XML as strictly as our images need it: throws for everything that is not well formed. */
export function elementsOf(source: string): XmlElement[] {
  const elements: XmlElement[] = []
  const open: XmlElement[] = []
  TOKEN.lastIndex = 0
  let end = 0
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    end = TOKEN.lastIndex
    const [, closing, name, given = '', alone, text] = match
    if (text !== undefined) takeText(open.at(-1), text)
    else if (closing !== undefined) {
      const done = open.pop()
      if (done?.name !== closing) throw new Error(`</${closing}> closes <${done?.name}>`)
      const outer = open.at(-1)
      if (closing === 'title' && outer !== undefined) outer.title ??= done.text
    } else if (name !== undefined) {
      if (open.length === 0 && elements.length > 0) throw new Error('a second root')
      const element = { name, attributes: attributesOf(given), text: '' }
      elements.push(element)
      if (alone === '') open.push(element)
    }
  }
  if (end !== source.length) throw new Error(`not XML: ${source.slice(end, end + 60)}`)
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> is not closed`)
  return elements
}

function takeText(into: XmlElement | undefined, text: string): void {
  if (into === undefined) {
    if (text.trim() !== '') throw new Error(`text outside: ${text}`)
  } else into.text += decoded(text)
}

function attributesOf(given: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name = '', value = ''] of given.matchAll(/ ([a-zA-Z:-]+)="([^"]*)"/g)) {
    if (name in found) throw new Error(`${name} stands twice`)
    found[name] = decoded(value)
  }
  return found
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function decoded(text: string): string {
  const wrong = /&(?!(?:amp|lt|gt|quot|#39);)/.exec(text)
  if (wrong !== null) throw new Error(`a bare & at ${text.slice(wrong.index, wrong.index + 20)}`)
  return text.replace(/&([^;]+);/g, (_, name: string) => ENTITIES[name] ?? '')
}
