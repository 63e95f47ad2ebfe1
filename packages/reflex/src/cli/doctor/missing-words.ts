/** The text that names a missing word to people, and the command or action that adds a worker with it. */
interface Said {
  readonly text: string
  readonly fix: string
}

/** Names a word of a worker to people: `tool:charge` is "the tool charge". A word of a later release is shown unchanged. */
export function sayWord(word: string): Said {
  const colon = word.indexOf(':')
  const [sort, name] = [word.slice(0, colon), word.slice(colon + 1)]
  switch (sort) {
    case 'kind':
      return { text: `the kind ${name.replace('@', ' at revision ')}`, fix: 'start a worker of the release that began the run' }
    case 'tool':
      return { text: `the tool ${name}`, fix: 'reflex worker --cluster --tools FILE, with a module that exports it' }
    case 'model':
      return sayModel(name)
    case 'has':
      return { text: `the word ${name}`, fix: `reflex worker --cluster --has ${name}` }
    default:
      return sayPart(word, sort, name)
  }
}

function sayModel(name: string): Said {
  if (name === 'default') return { text: 'a model for requests that name none', fix: 'REFLEX_MODEL=PROVIDER:NAME reflex worker --cluster' }
  if (name === 'own')
    return { text: 'a server of models, or a model of an application', fix: 'REFLEX_BASE_URL=http://… reflex worker --cluster' }
  return { text: `models of ${name}`, fix: `start a worker with the package and the key of ${name}: reflex explain R4004` }
}

function sayPart(word: string, part: string, rest: string): Said {
  const slash = rest.indexOf('/')
  if (slash < 0) return { text: word, fix: 'start a worker that has it' }
  const [kind, name] = [rest.slice(0, slash), rest.slice(slash + 1)]
  return {
    text: `the ${part} ${name} of the kind ${kind}`,
    fix: `start a worker of an application that gives it: new Reflex({ ${kind}: { … } })`,
  }
}
