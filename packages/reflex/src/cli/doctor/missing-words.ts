import { OR } from '../../store/index.ts'

/** The beginning of the names of models that only applications give. */
const OWN = 'own/'

/** The beginning of the words of operators. */
const HAS = 'has:'

/** The text that names a missing word to people, and the command or action that adds a worker with it. */
interface Said {
  readonly text: string
  readonly fix: string
}

/** Returns the flags that give a worker the words of its operator among others: `--has gpu`. */
export function hasFlags(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => (word.startsWith(HAS) ? [`--has ${word.slice(HAS.length)}`] : []))
}

/** Returns the words that a worker has by itself: those that its operator does not give. */
export function ownWords(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith(HAS))
}

/**
 * Names a need of a run to people: `tool:charge` is "the tool charge". A word of a later release is shown unchanged. Of several words of which
 * any is enough, the first tells how a worker gets it.
 */
export function sayWord(need: string): Said {
  const [first, ...others] = need.split(OR).map(sayOne)
  return { text: [first, ...others].map((said) => said?.text).join(OR), fix: first?.fix ?? '' }
}

function sayOne(word: string): Said {
  const colon = word.indexOf(':')
  const [sort, name] = [word.slice(0, colon), word.slice(colon + 1)]
  switch (sort) {
    case 'kind':
      return { text: `the kind ${name.replace('@', ' at revision ')}`, fix: 'start a worker of the release that began the run' }
    case 'tool':
      return {
        text: `the tool ${name}`,
        fix: 'start an application that gives it, new Reflex({ tools: [ … ], cluster: true }), and calls reflex.work(); or start such runs with a module that exports it: reflex run PROGRAM --cluster --tools FILE',
      }
    case 'model':
      return sayModel(name)
    default:
      return sayPart(word, sort, name)
  }
}

function sayModel(name: string): Said {
  if (name === 'default') return { text: 'a model for requests that name none', fix: 'REFLEX_MODEL=PROVIDER:NAME reflex worker --cluster' }
  if (name === 'default/able')
    return { text: 'its model for requests that name none', fix: 'set the key of that model: reflex explain R4004' }
  if (name === 'fallback')
    return { text: 'a fallback model', fix: 'start an application that has one, new Reflex({ fallback: [ … ] }), and calls reflex.work()' }
  if (name === 'server') return { text: 'a server of models', fix: 'REFLEX_BASE_URL=http://… reflex worker --cluster' }
  if (name.startsWith(OWN)) {
    const own = name.slice(OWN.length)
    return {
      text: `the model ${own} of an application`,
      fix: `start one that gives it, new Reflex({ models: { ${own}: … } }), and calls reflex.work()`,
    }
  }
  return { text: `models of ${name}`, fix: `start a worker with the package and the key of ${name}: reflex explain R4004` }
}

function sayPart(word: string, part: string, rest: string): Said {
  const slash = rest.indexOf('/')
  if (slash < 0) return { text: word, fix: 'start a worker that has it' }
  const [kind, name] = [rest.slice(0, slash), rest.slice(slash + 1)]
  return {
    text: `the ${part} ${name} of the kind ${kind}`,
    fix: `start an application that gives it, new Reflex({ ${kind}: { … } }), and calls reflex.work()`,
  }
}
