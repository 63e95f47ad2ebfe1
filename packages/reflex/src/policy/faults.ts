import { defineFaults } from '../kernel/index.ts'

/** The catalogue entries of the policy: permissions, trust and budgets (R3010 to R3029). */
export const faults = defineFaults({
  R3010: {
    title: 'A policy file is not JSON',
    verdict: 'fail',
    when: 'before a run',
    means: 'A policy that cannot be read grants nothing, and a run with this policy does not start.',
    often: 'a comment or a comma before a closing bracket: a policy file is plain JSON',
    fix: 'Correct the file.',
  },
  R3011: {
    title: 'A policy file has an invalid entry',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A policy file has only these keys: "allow", "ask" and "deny" with lists of capabilities, "roots" with a list of words, and "commands" with "memory" and "processes". An entry of "allow" can also be an object with "capability", "expires_at" and "max_uses". Any other key is refused, because it would have no effect.',
    often: 'a misspelling, a single capability in place of a list',
    fix: 'Write {"allow": ["arbor://…"], "ask": ["arbor://…"], "deny": ["arbor://…"]}.',
  },
  R3012: {
    title: 'A capability cannot be understood, or never matches',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A capability is `arbor://` followed by steps that are separated by `/`. In a grant, a step can be `*`, which matches any one step, and the last step can be `**`, which matches any number of steps. Special characters are percent-encoded. The first step is action, eval, fs, function, human, memory, net, orchestrator, secret, shell, skill, tool, or a root of your own tools that "roots" lists. After net comes one host, without a port.',
    often: 'a star inside a name (`*.md`), a step `..`, two slashes in a row, a port behind a host, a misspelt root',
    fix: 'Write the complete capability, such as arbor://fs/read/srv/data/**.',
  },
  R3013: {
    title: 'A level of trust is unknown',
    verdict: 'fail',
    when: 'before a run',
    means: 'The levels are untrusted, probationary, trusted, veteran and autonomous. Reflex never guesses a level from another word.',
    fix: 'Write one of the five words.',
  },
})
