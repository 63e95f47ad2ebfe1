const BEFORE = 'before a run'

/** The catalogue entries about the values of a tree: keys that are read and written, conditions, merges. */
export const FLOW_ENTRIES = {
  R1284: {
    title: 'A key is read that has no value',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'On some way through the tree nothing gives the key a value before it is read: no default, no input, no node. The node fails, or uses nil.',
    often: 'a misspelt key, a node that stands before the one that writes the key, a branch that does not write it',
    fix: 'Write the key before, give it a default in blackboard, declare it as an input, or test it with bb.has("key").',
  },
  R1285: {
    title: 'A value does not fit its key',
    verdict: 'fail',
    when: BEFORE,
    means: 'The node writes a value that the schema of the key refuses. It fails each time it is ticked.',
    fix: 'Write a value of the declared type, or change the type of the key.',
  },
  R1286: {
    title: 'A parallel child reads what only a sibling writes',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'Each child of a parallel node has a scope of its own, and writes are merged when the node ends. The child never sees the value.',
    fix: 'Put the writer before the parallel node, or the reader behind it.',
  },
  R1287: {
    title: 'An output of a contract is never written',
    verdict: 'fail',
    when: BEFORE,
    means: 'No node of the tree writes the key, and it has no default: no execution ever produces the output.',
    often: 'a misspelt key in the contract or at the node that writes it',
    fix: 'Write the key, or remove it from the contract.',
  },
  R1288: {
    title: 'Nothing produces an input',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: ['tree input key nobody produces'],
    means: 'The contract of a node, or of the tree to which it refers, requires a key that nothing before the node gives a value.',
    fix: 'Write the key before, bind another key to it, or declare it as an optional input.',
  },
  R1289: {
    title: 'A reference to a tree passes a key that is not declared',
    verdict: 'fail',
    when: BEFORE,
    means: 'A bound key must be declared by the tree to which it goes, and an exported key by the tree that gets it. The write is refused.',
    fix: 'Declare the key in the blackboard of that tree, or correct the name.',
  },
  R1290: {
    title: 'Parallel children write the same key',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means: 'The merge strategy of the key is fail, and two children can write it: the parallel node fails if both do.',
    fix: 'Let each child write a key of its own, or choose another merge strategy for the key.',
  },
  R1291: {
    title: 'Values of parallel children do not fit when they are merged',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'Two children can write the key. collect makes a list of their values, which the schema of the key refuses; merge_dict needs values that are objects.',
    often: 'the default strategy collect, and a key that is declared as a text or a number',
    fix: 'Choose last_wins or first_wins for the key, declare it as a list, or let each child write a key of its own.',
  },
  R1293: {
    title: 'A condition is always the same',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means: 'With the values that its keys can have at this place, the condition is true each time, or false each time.',
    often: 'a condition that contradicts a guard around it, a value that is not in the enum of the key',
    fix: 'Correct the condition, or remove it with what it leads to.',
  },
  R1294: {
    title: 'A condition compares values of different types',
    verdict: 'fail',
    when: BEFORE,
    means:
      'By the type of its key, the two values never have the same type. A comparison of size is an error of Lua, which fails the node; an equality is never true.',
    often: 'a number in quotes',
    fix: 'Compare with a value of the type of the key, or convert it: tonumber(bb.key).',
  },
} as const
