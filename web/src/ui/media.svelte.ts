import { MediaQuery } from 'svelte/reactivity';

/** Below this the page is five tabs instead of panes. Stands in the style sheets too. */
export const narrow = new MediaQuery('(max-width: 999px)', false);
