const SCHEME = 'arbor://'

/** A capability, its steps made safe; steps that are empty are left out. Total: any text is a step. */
export function uri(prefix: string, ...steps: readonly string[]): string {
  return [`${SCHEME}${prefix}`, ...steps.filter((step) => step !== '').map(encode)].join('/')
}

/**
 * The capability for a file, as far as it is known before a run. An absolute path is written out; one that is relative
 * to the work folder or to the home folder begins with the step `{work}` or `{home}`, which whoever asks replaces by the
 * folder's own. Without a path, which a value of the context then names, it is the prefix alone. Steps `..` are worked out
 * where they can be; those that lead out of the folder stay, so that no grant covers them.
 */
export function fileUri(access: 'read' | 'write', path: string | undefined): string {
  const prefix = `${SCHEME}fs/${access}`
  const text = path?.trim() ?? ''
  if (text === '') return prefix
  const home = /^(~|\$HOME|\$\{HOME\})(?=$|[\\/])/.exec(text)?.[0]
  const root = home !== undefined ? ['{home}'] : /^[\\/]/.test(text) ? [] : ['{work}']
  return [prefix, ...root, ...stepsOf(text.slice(home?.length ?? 0)).map(encode)].join('/')
}

/** The capability for an address: its host, or the prefix alone where the address cannot be read. */
export function netUri(address: string | undefined): string {
  const host = address === undefined ? undefined : URL.parse(address.trim())?.hostname
  return uri('net', host ?? '')
}

function stepsOf(path: string): string[] {
  const steps: string[] = []
  for (const step of path.split(/[\\/]/)) {
    if (step === '' || step === '.') continue
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else steps.push(step)
  }
  return steps
}

/** One step: percent-encoded, the star too, because a star is for grants. */
function encode(step: string): string {
  return encodeURIComponent(step.toWellFormed()).replaceAll('*', '%2A')
}

/** Capabilities that several operations need. */
export const MODEL = uri('orchestrator/execute/llm_query')
export const SHELL = uri('shell/exec')
export const INVOKE = uri('orchestrator/invoke')
export const DISPATCH = uri('orchestrator/map/dispatch')
export const ASK = uri('human/ask')

/** The capabilities for a file that is read and written; none without a path. */
export function keptIn(path: string | undefined): readonly string[] {
  return path === undefined ? [] : [fileUri('read', path), fileUri('write', path)]
}
