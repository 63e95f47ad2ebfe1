import { defineFaults } from '../kernel/index.ts'

/** The catalogue entries of the policy: permissions, trust and budgets (R3010 to R3029). */
export const faults = defineFaults({
  R3010: {
    title: 'A policy file is not JSON',
    verdict: 'fail',
    when: 'before a run',
    means: 'A policy that cannot be read grants nothing, and a run that was meant to be limited by it does not start.',
    often: 'a comment or a comma before a closing bracket: a policy file is plain JSON',
    fix: 'Correct the file.',
  },
  R3011: {
    title: 'A policy file has something that it cannot have',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A policy file has "allow", "ask" and "deny", each a list of capabilities, "roots", a list of words, "commands" with "memory" and "processes", and nothing else. In "allow" one may be an object with "capability", "expires_at" and "max_uses". Anything else is refused: it would have no effect, unnoticed.',
    often: 'a misspelling, one capability where a list belongs',
    fix: 'Write {"allow": ["arbor://…"], "ask": ["arbor://…"], "deny": ["arbor://…"]}.',
  },
  R3012: {
    title: 'A capability cannot be understood, or never matches',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A capability is `arbor://` and steps parted by `/`. In a grant a step may be `*`, which is any one step, and the last may be `**`, which is any number of them. Everything else is percent-encoded where it is not plain. Its first step is one that Reflex asks for: action, eval, fs, function, human, memory, net, orchestrator, shell, skill, tool, or a root of your own tools that "roots" names. After net comes one host, without a port, in any spelling.',
    often: 'a star inside a name (`*.md`), a step `..`, two slashes in a row, a port behind a host, a misspelt root',
    fix: 'Write it out, such as arbor://fs/read/srv/data/**.',
  },
  R3013: {
    title: 'A level of trust is not known',
    verdict: 'fail',
    when: 'before a run',
    means: 'A run is untrusted, probationary, trusted, veteran or autonomous. A word that is none of them is never taken for one.',
    fix: 'Write one of the five words.',
  },
})
