// What CFString.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFStringAppend
CF_LINKER_ALIAS(CFStringAppend) // gone or moved? run Scripts/linker-names
#undef CFStringAppendCString
CF_LINKER_ALIAS(CFStringAppendCString) // gone or moved? run Scripts/linker-names
#undef CFStringAppendCharacters
CF_LINKER_ALIAS(CFStringAppendCharacters) // gone or moved? run Scripts/linker-names
#undef CFStringCreateCopy
CF_LINKER_ALIAS(CFStringCreateCopy) // gone or moved? run Scripts/linker-names
#undef CFStringCreateMutable
CF_LINKER_ALIAS(CFStringCreateMutable) // gone or moved? run Scripts/linker-names
#undef CFStringCreateMutableCopy
CF_LINKER_ALIAS(CFStringCreateMutableCopy) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithBytes
CF_LINKER_ALIAS(CFStringCreateWithBytes) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithBytesNoCopy
CF_LINKER_ALIAS(CFStringCreateWithBytesNoCopy) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithCString
CF_LINKER_ALIAS(CFStringCreateWithCString) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithCStringNoCopy
CF_LINKER_ALIAS(CFStringCreateWithCStringNoCopy) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithCharacters
CF_LINKER_ALIAS(CFStringCreateWithCharacters) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithCharactersNoCopy
CF_LINKER_ALIAS(CFStringCreateWithCharactersNoCopy) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithSubstring
CF_LINKER_ALIAS(CFStringCreateWithSubstring) // gone or moved? run Scripts/linker-names
#undef CFStringDelete
CF_LINKER_ALIAS(CFStringDelete) // gone or moved? run Scripts/linker-names
#undef CFStringGetCharacterAtIndex
CF_LINKER_ALIAS(CFStringGetCharacterAtIndex) // gone or moved? run Scripts/linker-names
#undef CFStringGetCharacters
CF_LINKER_ALIAS(CFStringGetCharacters) // gone or moved? run Scripts/linker-names
#undef CFStringGetCharactersPtr
CF_LINKER_ALIAS(CFStringGetCharactersPtr) // gone or moved? run Scripts/linker-names
#undef CFStringGetLength
CF_LINKER_ALIAS(CFStringGetLength) // gone or moved? run Scripts/linker-names
#undef CFStringGetTypeID
CF_LINKER_ALIAS(CFStringGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFStringInsert
CF_LINKER_ALIAS(CFStringInsert) // gone or moved? run Scripts/linker-names
#undef CFStringReplace
CF_LINKER_ALIAS(CFStringReplace) // gone or moved? run Scripts/linker-names
#undef CFStringReplaceAll
CF_LINKER_ALIAS(CFStringReplaceAll) // gone or moved? run Scripts/linker-names
#undef __CFDescriptionCreateMutable
CF_LINKER_ALIAS(__CFDescriptionCreateMutable) // gone or moved? run Scripts/linker-names
#undef __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__
CF_LINKER_ALIAS(__CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__) // gone or moved? run Scripts/linker-names
#undef __CFStringAppendCharacter
CF_LINKER_ALIAS(__CFStringAppendCharacter) // gone or moved? run Scripts/linker-names
#undef __CFStringAppendSlice
CF_LINKER_ALIAS(__CFStringAppendSlice) // gone or moved? run Scripts/linker-names
#undef __CFStringAppendText
CF_LINKER_ALIAS(__CFStringAppendText) // gone or moved? run Scripts/linker-names
#undef __CFStringAppendUnits
CF_LINKER_ALIAS(__CFStringAppendUnits) // gone or moved? run Scripts/linker-names
#undef __CFStringClass
CF_LINKER_ALIAS(__CFStringClass) // gone or moved? run Scripts/linker-names
#undef __CFStringFreeze
CF_LINKER_ALIAS(__CFStringFreeze) // gone or moved? run Scripts/linker-names
#undef __CFStringGetText
CF_LINKER_ALIAS(__CFStringGetText) // gone or moved? run Scripts/linker-names
#undef __CFStringGetTextOfRange
CF_LINKER_ALIAS(__CFStringGetTextOfRange) // gone or moved? run Scripts/linker-names
#undef __CFStringGetUnits
CF_LINKER_ALIAS(__CFStringGetUnits) // gone or moved? run Scripts/linker-names
#undef __CFStringMayChange
CF_LINKER_ALIAS(__CFStringMayChange) // gone or moved? run Scripts/linker-names
#endif
